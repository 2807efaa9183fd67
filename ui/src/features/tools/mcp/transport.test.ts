// What is typed becomes exactly what runs, and what runs is shown whole.
import { describe, expect, it } from "vitest";
import { isName, linesOf, NEW, secretLooking, transportOf, typedOf } from "./transport";

const typed = { ...typedOf(NEW), command: "npx" };

describe("a server's transport", () => {
  it("keeps every argument as it was typed", () => {
    expect(transportOf({ ...typed, args: "-y\n@scope/server one\n\n  two\n" })).toEqual({
      ...NEW,
      command: "npx",
      args: ["-y", "@scope/server one", "", "  two"],
    });
    expect(transportOf({ ...typed, args: "" })).toMatchObject({ args: [] });
  });

  it("comes back from the form as it went in", () => {
    for (const transport of [
      { by: "stdio", command: "/bin/a b", args: ["x y", "--z"], env: { A: "1=2", B: "" }, secret_env: ["TOKEN"], needs: { reads: ["~/a b"], writes: [], network: true } },
      { by: "http", url: "https://example.org/mcp?x=1", secret_header: "Authorization" },
    ] as const) {
      const whole = structuredClone(transport) as Parameters<typeof typedOf>[0];
      expect(transportOf(typedOf(whole))).toEqual(whole);
    }
  });

  it("names the field that cannot be taken", () => {
    expect(transportOf({ ...typed, command: " " })).toEqual({ wrong: "command" });
    expect(transportOf({ ...typed, env: "A=1\nno value" })).toEqual({ wrong: "env" });
    expect(transportOf({ ...typed, secrets: "two words" })).toEqual({ wrong: "secrets" });
    expect(transportOf({ ...typed, env: "A=1", secrets: "A" })).toEqual({ wrong: "secrets" });
    for (const url of ["", "ftp://a", "https://user@host/mcp", "https://a b", "example.org"]) {
      expect(transportOf({ ...typed, by: "http", url })).toEqual({ wrong: "url" });
    }
    expect(transportOf({ ...typed, by: "http", url: "https://a/mcp", header: "A B" })).toEqual({ wrong: "header" });
  });

  it("is shown whole, its secrets by name", () => {
    const lines = linesOf({ by: "stdio", command: "npx", args: ["-y"], env: { A: "1" }, secret_env: ["TOKEN"], needs: { reads: ["~/r"], writes: ["~/w"], network: true } });
    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "program npx",
      "argument -y",
      "variable A=1",
      "secretVariable TOKEN",
      "reads ~/r",
      "writes ~/w",
      "network ",
    ]);
  });

  it("is warned of when a plain variable reads like a secret", () => {
    expect(secretLooking({ ...typed, env: "GITHUB_TOKEN=x\nPATH=/bin\nApi_Key=y" })).toEqual(["GITHUB_TOKEN", "Api_Key"]);
  });

  it("has a name that tools can begin with", () => {
    expect(["files", "my-server_2", "A".repeat(32)].every(isName)).toBe(true);
    expect(["", "a b", "a__b", "_a", "a_", "서버", "A".repeat(33)].some(isName)).toBe(false);
  });
});
