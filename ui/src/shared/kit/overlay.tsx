// What lies above the page: dialog, menu, popover. Base UI traps and returns the focus.
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Popover as BasePopover } from "@base-ui/react/popover";
import { Check, X } from "lucide-react";
import { useLayoutEffect, useSyncExternalStore, type ReactElement, type ReactNode, type RefObject } from "react";
import { useTranslation } from "../i18n";
import { Kbd } from "./Kbd";
import css from "./kit.module.css";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** What its body is called where there is only to read: the body itself takes the focus then, and keys scroll it. */
  reads?: string;
  /** Buttons, right-aligned, the main one last. */
  footer?: ReactNode;
  size?: "s" | "m" | "l";
  /** What takes the focus first; the first control otherwise. */
  initialFocus?: RefObject<HTMLElement | null>;
}

/** How many dialogs lie over the page, and who wants to know. */
let dialogs = 0;
const listeners = new Set<() => void>();

function count(by: number): void {
  dialogs += by;
  listeners.forEach((listener) => listener());
}

/** While a dialog that is not made by `Dialog` is open. */
export function useCover(open: boolean): void {
  // Before the focus goes back to what was covered.
  useLayoutEffect(() => {
    if (!open) return;
    count(1);
    return () => count(-1);
  }, [open]);
}

/** Whether the page is covered: then nothing on it may take the focus, however late what was asked for arrives. */
export function useCovered(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => dialogs > 0,
  );
}

/** Whether a dialog or a popover is open. A toast has the role of one and is none: it keeps nobody from the page. */
export const hasDialog = (): boolean => document.querySelector("[role=dialog]:not([data-toast])") !== null;

export function Dialog({ open, onClose, title, description, children, reads, footer, size = "s", initialFocus }: DialogProps) {
  const { t } = useTranslation("common");
  useCover(open);
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={css.scrim} />
        {/* What fades away is pressed no second time. */}
        <BaseDialog.Popup className={css.dialog} data-modal data-size={size} initialFocus={initialFocus} inert={!open}>
          <BaseDialog.Title className={css.dialogTitle}>{title}</BaseDialog.Title>
          {description && (
            <BaseDialog.Description className={css.dialogText}>{description}</BaseDialog.Description>
          )}
          {children && (
            <div className={css.dialogBody} {...(reads !== undefined && { role: "group", "aria-label": reads, tabIndex: 0 })}>
              {children}
            </div>
          )}
          {footer && <footer className={css.dialogFoot}>{footer}</footer>}
          {/* Last, so that the first focus goes to the content; no tooltip of ours, which would take Escape. */}
          <BaseDialog.Close className={css.dialogClose} aria-label={t("close")} title={t("close")}>
            <X aria-hidden />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export interface MenuAction {
  id: string;
  label: string;
  icon?: ReactNode;
  shortcut?: string;
  /** Why it cannot be chosen now; it stays listed. */
  disabledReason?: string;
  danger?: boolean;
  checked?: boolean;
  onSelect: () => void;
}

export type MenuItems = readonly (MenuAction | "separator")[];

export interface MenuProps {
  /** A kit button; its name is the menu's. */
  trigger: ReactElement;
  items: MenuItems;
  align?: "start" | "end";
}

export function Menu({ trigger, items, align = "start" }: MenuProps) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <MenuPopup items={items} align={align} />
    </BaseMenu.Root>
  );
}

/** What ties one menu to many buttons, each of which opens it about something else. Made once, outside of what draws. */
export type MenuOf<T> = ReturnType<typeof BaseMenu.createHandle<T>>;
export const menuOf = <T,>(): MenuOf<T> => BaseMenu.createHandle<T>();

export interface MenuButtonProps<T> extends Pick<MenuProps, "trigger"> {
  menu: MenuOf<T>;
  about: T;
}

export function MenuButton<T>({ menu, about, trigger }: MenuButtonProps<T>) {
  return <BaseMenu.Trigger handle={menu} payload={about} render={trigger} />;
}

export interface SharedMenuProps<T> extends Pick<MenuProps, "align"> {
  menu: MenuOf<T>;
  items: (about: T) => MenuItems;
  /** Whether the button gets the focus back; not where what was chosen has taken it. */
  returnsFocus?: () => boolean;
}

/** The one menu of all buttons that were given the same `menu`: mounted once, however many there are. */
export function SharedMenu<T>({ menu, items, align = "start", returnsFocus }: SharedMenuProps<T>) {
  return (
    <BaseMenu.Root handle={menu}>
      {({ payload }) =>
        payload !== undefined && <MenuPopup items={items(payload)} align={align} returnsFocus={returnsFocus} />
      }
    </BaseMenu.Root>
  );
}

interface MenuPopupProps {
  items: MenuItems;
  align: "start" | "end";
  returnsFocus?: () => boolean;
}

function MenuPopup({ items, align, returnsFocus }: MenuPopupProps) {
  return (
    <BaseMenu.Portal>
      <BaseMenu.Positioner className={css.positioner} sideOffset={4} align={align}>
        <BaseMenu.Popup className={css.popup} finalFocus={returnsFocus}>
          {items.map((item, index) =>
            item === "separator" ? (
              <BaseMenu.Separator key={index} className={css.separator} />
            ) : (
              <BaseMenu.Item
                key={item.id}
                className={css.item}
                data-danger={item.danger || undefined}
                disabled={item.disabledReason !== undefined}
                onClick={item.onSelect}
              >
                <span className={css.itemMark}>
                  {item.checked ? <Check aria-hidden /> : item.icon}
                </span>
                <span>{item.label}</span>
                {item.disabledReason && <span className={css.itemHint}>{item.disabledReason}</span>}
                {item.shortcut && <Kbd keys={item.shortcut} />}
              </BaseMenu.Item>
            ),
          )}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  );
}

export interface PopoverProps {
  trigger: ReactElement;
  title: string;
  children: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** For what stands in columns. */
  wide?: boolean;
}

export function Popover({ trigger, title, children, open, onOpenChange, wide }: PopoverProps) {
  return (
    <BasePopover.Root open={open} onOpenChange={onOpenChange}>
      <BasePopover.Trigger render={trigger} />
      <BasePopover.Portal>
        <BasePopover.Positioner className={css.positioner} sideOffset={4} align="start">
          <BasePopover.Popup className={css.popover} data-wide={wide}>
            <BasePopover.Title className={css.label}>{title}</BasePopover.Title>
            {children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  );
}
