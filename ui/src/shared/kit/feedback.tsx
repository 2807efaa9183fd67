// What tells how things stand: inline notices, toasts with one act, progress, empty places.
import { Progress as BaseProgress } from "@base-ui/react/progress";
import { Toast } from "@base-ui/react/toast";
import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { formatNumber, useTranslation } from "../i18n";
import { Button, IconButton } from "./Button";
import css from "./feedback.module.css";

export type Tone = "info" | "warn" | "danger";
const ICONS = { info: Info, warn: TriangleAlert, danger: CircleAlert };

export interface NoticeProps {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

/** A message in its place. An icon names the tone too, so colour is never alone. */
export function Notice({ tone = "info", title, children, actions }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div className={css.notice} data-tone={tone} role="note">
      <Icon aria-hidden />
      <div className={css.noticeText}>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {actions && <div className={css.noticeActions}>{actions}</div>}
    </div>
  );
}

const manager = Toast.createToastManager();

export interface ToastMessage {
  text: string;
  tone?: Tone;
  action?: { label: string; run: () => void };
  /** Stays until dismissed when 0. */
  timeout?: number;
  /** News of one kind takes the place of what was said of it before. */
  kind?: string;
}

/** Shows a toast from anywhere, and gives the way to take it away. Never the only place where a failure is told. */
export function toast({ text, tone = "info", action, timeout = 8000, kind }: ToastMessage): () => void {
  // What only informs is one news after the other, and a warning that is said again is the same one. A way back is
  // its own: another one in its place would take it away.
  const usual = action ? undefined : tone === "info" ? "news" : text;
  const id = manager.add({
    id: kind ?? usual,
    title: text,
    type: tone,
    timeout,
    priority: tone === "danger" ? "high" : "low",
    actionProps: action && {
      children: action.label,
      onClick: () => {
        manager.close(id);
        action.run();
      },
    },
  });
  return () => manager.close(id);
}

/** Mounted once by the shell. */
export function Toasts() {
  const { t } = useTranslation("common");
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className={css.toasts} aria-label={t("notifications")}>
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { t } = useTranslation("common");
  const { toasts } = Toast.useToastManager();
  return toasts.map((item) => {
    const Icon = ICONS[(item.type as Tone | undefined) ?? "info"];
    return (
      <Toast.Root
        key={item.id}
        toast={item}
        className={css.toast}
        data-toast
        data-tone={item.type}
        // What fades away is pressed no second time.
        inert={item.limited === true || item.transitionStatus === "ending"}
      >
        <Icon aria-hidden />
        <Toast.Title className={css.toastText} render={<div />} />
        <Toast.Action render={<Button variant="quiet" />} />
        {/* All of them are seen whole, not as a heap, so that their buttons are there for a screen reader too. */}
        <Toast.Close aria-hidden={false} render={<IconButton label={t("close")} icon={<X aria-hidden />} />} />
      </Toast.Root>
    );
  });
}

/** Three strata filling in turn; still with reduced motion. */
export function Spinner({ label }: { label?: string }) {
  const { t } = useTranslation("common");
  return (
    <span className={css.spinner} role="img" aria-label={label ?? t("loading")}>
      <i />
      <i />
      <i />
    </span>
  );
}

export interface ProgressProps {
  label: string;
  /** 0 to 1, or null while the end is unknown. */
  value: number | null;
  detail?: ReactNode;
}

export function Progress({ label, value, detail }: ProgressProps) {
  return (
    <BaseProgress.Root
      className={css.progress}
      value={value === null ? null : Math.round(value * 100)}
      getAriaValueText={(_, raw) => (raw === null ? label : `${formatNumber(raw)} %`)}
    >
      <div className={css.progressText}>
        <BaseProgress.Label>{label}</BaseProgress.Label>
        <span>{detail}</span>
      </div>
      <BaseProgress.Track className={css.track}>
        <BaseProgress.Indicator className={css.bar} />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}

export interface EmptyStateProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={css.empty}>
      <p className={css.emptyTitle}>{title}</p>
      {children && <div className={css.emptyText}>{children}</div>}
      {action}
    </div>
  );
}
