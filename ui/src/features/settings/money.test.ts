import { describe, expect, it } from "vitest";
import { readDollars, writeDollars } from "./money";

describe("dollars", () => {
  it.each([
    ["0.075", 75_000],
    [" $5 ", 5_000_000],
    ["5.", 5_000_000],
    [".5", 500_000],
    ["1,000.50", 1_000_500_000],
    ["０．０７５", 75_000],
    ["１０달러", 10_000_000],
    ["US$ 0.000001", 1],
    ["0.1000000", 100_000],
    // Not a sum of binary fractions.
    ["1.1", 1_100_000],
    ["0", 0],
  ])("reads %j", (typed, micros) => {
    expect(readDollars(typed)).toEqual({ micros });
    expect(readDollars(writeDollars(micros))).toEqual({ micros });
  });

  it("takes nothing typed for none, and guesses nothing", () => {
    expect(readDollars(" ")).toEqual({ micros: null });
    for (const typed of ["0,075", "1,00", ".", "-1", "1e3", "12,34", "오"]) {
      expect(readDollars(typed), typed).toEqual({ wrong: "number" });
    }
    expect(readDollars("0.0000001")).toEqual({ wrong: "digits" });
    expect(readDollars("10000000000")).toEqual({ wrong: "large" });
  });

  it("writes what it would read", () => {
    expect([null, 0, 1, 75_000, 5_000_000, 1_234_500_000].map(writeDollars)).toEqual([
      "", "0", "0.000001", "0.075", "5", "1234.5",
    ]);
  });
});
