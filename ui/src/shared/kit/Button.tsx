// Buttons: with words, with an icon and a name, and the one that copies.
import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ComponentProps, type ReactNode } from "react";
import { copyText } from "../clipboard";
import { useTranslation } from "../i18n";
import { announce } from "./status";
import { Tooltip } from "./Tooltip";
import css from "./kit.module.css";

export interface ButtonProps extends ComponentProps<"button"> {
  /** primary: the one main act of a place; plain: bordered; quiet: no border; danger: destroys. */
  variant?: "primary" | "plain" | "quiet" | "danger";
  icon?: ReactNode;
}

export function Button({ variant = "plain", icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={[css.button, css[variant], className].filter(Boolean).join(" ")}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** Its name: read aloud and shown as the tooltip. */
  label: string;
  icon: ReactNode;
  shortcut?: string;
}

export function IconButton({ label, icon, shortcut, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={[css.iconButton, className].filter(Boolean).join(" ")}
      >
        {icon}
      </button>
    </Tooltip>
  );
}

export interface CopyButtonProps {
  text: string | (() => string);
  label?: string;
  /** Shows the label beside the icon. */
  words?: boolean;
}

export function CopyButton({ text, label, words }: CopyButtonProps) {
  const { t } = useTranslation("common");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const done = await copyText(typeof text === "string" ? text : text());
    setCopied(done);
    announce(done ? t("copied") : t("copyFailed"));
  };
  const name = copied ? t("copied") : (label ?? t("copy"));
  const icon = copied ? <Check aria-hidden /> : <Copy aria-hidden />;
  if (words) {
    return (
      <Button icon={icon} onClick={() => void copy()}>
        {name}
      </Button>
    );
  }
  return <IconButton label={name} icon={icon} onClick={() => void copy()} />;
}
