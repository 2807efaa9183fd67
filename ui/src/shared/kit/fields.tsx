// Controls that hold a value: text, one of several, on or off.
import { Field } from "@base-ui/react/field";
import { Select as BaseSelect } from "@base-ui/react/select";
import { Switch as BaseSwitch } from "@base-ui/react/switch";
import { Check, ChevronDown } from "lucide-react";
import { useId, type ComponentProps, type ReactNode } from "react";
import css from "./kit.module.css";

export interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value" | "defaultValue"> {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange: (value: string) => void;
  description?: ReactNode;
  error?: ReactNode;
}

export function TextField({ label, hideLabel, value, onChange, description, error, className, ...rest }: TextFieldProps) {
  return (
    <Field.Root className={[css.field, className].filter(Boolean).join(" ")} invalid={Boolean(error)}>
      <Field.Label className={hideLabel ? "visually-hidden" : css.label}>{label}</Field.Label>
      <Field.Control {...rest} className={css.input} value={value} onValueChange={onChange} />
      {description && <Field.Description className={css.hint}>{description}</Field.Description>}
      {error && (
        <Field.Error match className={css.error}>
          {error}
        </Field.Error>
      )}
    </Field.Root>
  );
}

export interface TextAreaProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  description?: ReactNode;
  rows?: number;
}

export function TextArea({ label, value, onChange, placeholder, description, rows = 4 }: TextAreaProps) {
  return (
    <Field.Root className={css.field}>
      <Field.Label className={css.label}>{label}</Field.Label>
      <Field.Control
        className={css.textArea}
        value={value}
        onValueChange={onChange}
        placeholder={placeholder}
        render={<textarea rows={rows} />}
      />
      {description && <Field.Description className={css.hint}>{description}</Field.Description>}
    </Field.Root>
  );
}

export interface Option<T extends string> {
  value: T;
  label: string;
  hint?: ReactNode;
  disabled?: boolean;
}

export interface SelectProps<T extends string> {
  label: string;
  hideLabel?: boolean;
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
  /** Without a border, for a tool bar. */
  quiet?: boolean;
  disabled?: boolean;
}

export function Select<T extends string>({ label, hideLabel, value, onChange, options, quiet, disabled }: SelectProps<T>) {
  return (
    <div className={css.field}>
      <BaseSelect.Root
        items={options.map(({ value, label }) => ({ value, label }))}
        value={value}
        onValueChange={(next) => next !== null && onChange(next)}
        disabled={disabled}
      >
        <BaseSelect.Label className={hideLabel ? "visually-hidden" : css.label}>{label}</BaseSelect.Label>
        <BaseSelect.Trigger className={quiet ? css.selectQuiet : css.select}>
          <BaseSelect.Value className={css.selected} />
          <BaseSelect.Icon>
            <ChevronDown aria-hidden />
          </BaseSelect.Icon>
        </BaseSelect.Trigger>
        <BaseSelect.Portal>
          <BaseSelect.Positioner className={css.positioner} sideOffset={4} alignItemWithTrigger={false}>
            <BaseSelect.Popup className={css.popup}>
              <BaseSelect.List>
                {options.map((option) => (
                  <BaseSelect.Item
                    key={option.value}
                    value={option.value}
                    disabled={option.disabled}
                    className={css.item}
                  >
                    <span className={css.itemMark}>
                      <BaseSelect.ItemIndicator>
                        <Check aria-hidden />
                      </BaseSelect.ItemIndicator>
                    </span>
                    <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                    {option.hint && <span className={css.itemHint}>{option.hint}</span>}
                  </BaseSelect.Item>
                ))}
              </BaseSelect.List>
            </BaseSelect.Popup>
          </BaseSelect.Positioner>
        </BaseSelect.Portal>
      </BaseSelect.Root>
    </div>
  );
}

export interface SwitchProps {
  label: string;
  description?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, description, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <div className={css.switchRow}>
      <div>
        <label htmlFor={id} className={css.label}>
          {label}
        </label>
        {description && (
          <p id={`${id}-hint`} className={css.hint}>
            {description}
          </p>
        )}
      </div>
      <BaseSwitch.Root
        id={id}
        className={css.switch}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-describedby={description ? `${id}-hint` : undefined}
      >
        <BaseSwitch.Thumb className={css.thumb} />
      </BaseSwitch.Root>
    </div>
  );
}
