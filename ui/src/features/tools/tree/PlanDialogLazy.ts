// The dialog is loaded when it is first opened.
import { lazy } from "react";

export const PlanDialog = lazy(() => import("./PlanDialog"));
