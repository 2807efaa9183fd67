// Tabs of a pane, in a line or in a column. A hidden panel is not mounted.
import { Tabs as Base } from "@base-ui/react/tabs";
import { type ReactNode } from "react";
import css from "./kit.module.css";

export interface Tab<T extends string> {
  value: T;
  label: string;
  content: ReactNode;
  /** In a column: what it is listed for, below its name. */
  hint?: string;
}

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: readonly Tab<T>[];
  /** Below each other, beside what they show; the arrows show what they pass. */
  column?: boolean;
  /** At the end of the line of tabs. */
  end?: ReactNode;
  /** Over a column of tabs. */
  head?: ReactNode;
}

export function Tabs<T extends string>({ label, value, onChange, tabs, column = false, end, head }: TabsProps<T>) {
  return (
    <Base.Root
      className={column ? css.tabColumns : css.tabs}
      orientation={column ? "vertical" : "horizontal"}
      value={value}
      onValueChange={(next) => onChange(next as T)}
    >
      <div className={column ? css.tabColumn : css.tabLine}>
        {head}
        <Base.List className={css.tabList} activateOnFocus={column} aria-label={label}>
          {tabs.map((tab) => (
            <Base.Tab key={tab.value} value={tab.value} className={css.tab}>
              {tab.label}
              {tab.hint && <span className={css.tabHint} title={tab.hint}>{tab.hint}</span>}
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
