// The kit: the few controls every screen is made of.
export { Button, CopyButton, IconButton, type ButtonProps, type CopyButtonProps, type IconButtonProps } from "./Button";
export { EmptyState, Notice, Progress, Spinner, toast, Toasts, type EmptyStateProps, type NoticeProps, type ProgressProps, type ToastMessage, type Tone } from "./feedback";
export { Select, Switch, TextArea, TextField, type Option, type SelectProps, type SwitchProps, type TextAreaProps, type TextFieldProps } from "./fields";
export { Kbd, keyNames } from "./Kbd";
export { Dialog, hasDialog, Menu, MenuButton, menuOf, Popover, SharedMenu, useCover, useCovered, type DialogProps, type MenuAction, type MenuItems, type MenuOf, type MenuProps, type PopoverProps } from "./overlay";
export { Mark, type MarkProps } from "./Mark";
export { default as quiet } from "./quiet.module.css";
export { default as frame } from "./frame.module.css";
export { SecretField, takeSecret, type SecretFieldProps } from "./SecretField";
export { Slider, type SliderProps } from "./Slider";
export { Snippet } from "./Snippet";
export { Splitter, type SplitterProps } from "./Splitter";
export { announce, StatusRegion } from "./status";
export { Tabs, type TabsProps } from "./Tabs";
export { Tips, Tooltip, type TooltipProps } from "./Tooltip";
export { useAct, type Act } from "./useAct";
export { WayEntry, type WayEntryProps } from "./WayEntry";
