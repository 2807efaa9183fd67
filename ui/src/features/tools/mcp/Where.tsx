// Whose a server is going to be: this project's or everybody's. Both forms that add one ask it.
import { useTranslation } from "@/shared/i18n";
import { Select } from "@/shared/kit";

interface WhereProps {
  here: boolean;
  onChange: (here: boolean) => void;
}

export function Where({ here, onChange }: WhereProps) {
  const { t } = useTranslation("toolSettings");
  return (
    <Select
      label={t("mcp.form.where")}
      value={here ? "here" : "all"}
      onChange={(value) => onChange(value === "here")}
      options={[
        { value: "here", label: t("mcp.form.here") },
        { value: "all", label: t("mcp.form.all") },
      ]}
    />
  );
}
