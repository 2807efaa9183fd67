// Entry point: styles, language and the app. Everything else hangs below App.
import "./shared/styles/global.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { firstWords, loadLanguage, systemLanguage } from "./shared/i18n";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
await firstWords(systemLanguage());
createRoot(root).render(
  <StrictMode>
    {/* Base UI would add <style> elements; the CSP refuses them and global.css has their rules. */}
    <CSPProvider disableStyleElements>
      <App />
    </CSPProvider>
  </StrictMode>,
);
void loadLanguage(systemLanguage());
