// Every code that the host can answer has words in both languages, and the list is the bindings'.
import { describe, expect, it } from "vitest";
import { i18n } from "@/shared/i18n";
import bindings from "./bindings.ts?raw";
import { CODES, toFailure } from "./failure";

describe("failures", () => {
  it("know every code of the bindings", () => {
    const union = /export type Code = ([^;]+);/.exec(bindings)![1]!;
    const codes = [...union.matchAll(/"(\w+)"/g)].map((match) => match[1]!);
    expect(codes.length).toBeGreaterThan(20);
    expect([...CODES].sort()).toEqual(codes.sort());
  });

  it.each(["en", "ko"])("have words for every code in %s", (language) => {
    for (const code of CODES) {
      for (const part of ["title", "hint"] as const) {
        const key = `${code}.${part}`;
        expect(i18n.exists(key, { ns: "errors", lng: language, fallbackLng: [] }), key).toBe(true);
      }
    }
  });

  it("keep what the host says and call everything else internal", () => {
    const full = { code: "disk_full", message: "no space", hint: "" };
    expect(toFailure(full)).toBe(full);
    expect(toFailure(new TypeError("x is not a function")).code).toBe("internal");
    expect(toFailure({ code: "made_up", message: "?" }).code).toBe("internal");
  });
});
