// Tabs of a pane. A hidden panel is not mounted.
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import css from "./kit.module.css";

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: readonly { value: T; label: string; content: ReactNode }[];
  /** At the end of the line of tabs. */
  end?: ReactNode;
}

export function Tabs<T extends string>({ label, value, onChange, tabs, end }: TabsProps<T>) {
  return (
    <Base.Root className={css.tabs} value={value} onValueChange={(next) => onChange(next as T)}>
      <div className={css.tabLine}>
        <Base.List className={css.tabList} aria-label={label}>
          {tabs.map((tab) => (
            <Base.Tab key={tab.value} value={tab.value} className={css.tab}>
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        {end}
      </div>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={css.tabPanel}>
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
