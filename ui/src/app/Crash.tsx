// The last net: when the interface itself fails, say so and offer to load it again.
import { Component, type ReactNode } from "react";
import { i18n } from "@/shared/i18n";
import { Button } from "@/shared/kit";
import css from "./App.module.css";

export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false };

  static getDerivedStateFromError() {
    return { crashed: true };
  }

  override render() {
    if (!this.state.crashed) return this.props.children;
    const t = i18n.getFixedT(null, "shell");
    return (
      <main className={css.alone} role="alert">
        <h1 className={css.crashTitle}>{t("crash.title")}</h1>
        <p>{t("crash.text")}</p>
        <p>
          <Button variant="primary" onClick={() => window.location.reload()}>
            {t("crash.reload")}
          </Button>
        </p>
      </main>
    );
  }
}
