// Dates, numbers and sizes in the language of the interface. Pure but for reading that language.
import i18next from "i18next";

const DAY = 86_400_000;

function language(): string {
  return i18next.language;
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function capitalised(text: string): string {
  return text.charAt(0).toLocaleUpperCase(language()) + text.slice(1);
}

/** "Today", "어제", "3 days ago" within a week; else the date, with its year when it is another. */
export function formatDay(at: number | Date, now: number | Date = Date.now()): string {
  const date = new Date(at);
  const days = Math.round((startOfDay(date) - startOfDay(new Date(now))) / DAY);
  if (days <= 0 && days > -7) {
    const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
    // Two days back has an own word in Korean ("그저께") that reads oddly as a heading.
    return days < -1
      ? new Intl.RelativeTimeFormat(language()).format(days, "day")
      : capitalised(relative.format(days, "day"));
  }
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(language(), {
    month: "long",
    day: "numeric",
    ...(sameYear ? {} : { year: "numeric" }),
  }).format(date);
}

/** "14:02" or "오후 2:02", as the language writes it. */
export function formatTime(at: number | Date): string {
  return new Intl.DateTimeFormat(language(), { hour: "numeric", minute: "2-digit" }).format(at);
}

/** "Yesterday 18:20". */
export function formatWhen(at: number | Date): string {
  return `${formatDay(at)} ${formatTime(at)}`;
}

/** Date and time in full, for tooltips. */
export function formatMoment(at: number | Date): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: "long", timeStyle: "short" }).format(at);
}

/** A month such as "2026-11" as people name it. */
export function formatMonth(month: string): string {
  const [year = 1970, number = 1] = month.split("-").map(Number);
  return new Intl.DateTimeFormat(language(), { year: "numeric", month: "long" }).format(new Date(year, number - 1));
}

/** Kept, as making one takes a hundred times as long as writing a number with it. */
const numberFormats = new Map<string, Intl.NumberFormat>();

export function formatNumber(value: number, maximumFractionDigits = 0): string {
  const key = `${language()} ${maximumFractionDigits}`;
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(language(), { maximumFractionDigits });
  numberFormats.set(key, format);
  return format.format(value);
}

/** 950, "1.2k", "18.2k", "200k", "1.5M": short and the same in both languages. */
export function formatTokens(tokens: number): string {
  const short = (value: number) =>
    formatNumber(value, value < 100 ? 1 : 0);
  if (tokens < 1000) return formatNumber(tokens);
  if (tokens < 999_500) return `${short(tokens / 1000)}k`;
  return `${short(tokens / 1_000_000)}M`;
}

/** Billionths of a US dollar as people write dollars: cents from ten cents on, two digits that count below. */
export function formatCost(nanoDollars: number): string {
  const dollars = nanoDollars / 1e9;
  const digits = dollars > 0 && dollars < 0.1 ? Math.min(6, 1 - Math.floor(Math.log10(dollars))) : 2;
  const money = new Intl.NumberFormat(language(), {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
  return dollars > 0 && dollars < 1e-6 ? `<${money.format(1e-6)}` : money.format(dollars);
}

/** How long something took: "12 ms", "1.4 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  const unit = (value: number, name: "millisecond" | "second" | "minute", digits = 0) =>
    new Intl.NumberFormat(language(), { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits }).format(value);
  if (ms < 999.5) return unit(ms, "millisecond");
  if (ms < 59_950) return unit(ms / 1000, "second", 1);
  const seconds = Math.round(ms / 1000);
  const minutes = unit(Math.floor(seconds / 60), "minute");
  return seconds % 60 === 0 ? minutes : `${minutes} ${unit(seconds % 60, "second")}`;
}

/** Decimal sizes, as file managers show them: "512 B", "6.2 MB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${formatNumber(value, unit > 0 && value < 100 ? 1 : 0)} ${units[unit]}`;
}
