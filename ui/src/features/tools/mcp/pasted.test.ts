// The JSON of a README becomes what runs, and what is secret in it goes nowhere else.
import { describe, expect, it } from "vitest";
import { pastedServers } from "./pasted";

const NO_NEEDS = { reads: [], writes: [], network: false };

describe("the JSON of a README", () => {
  it("is read in its usual form, several at once, each with its name", () => {
    const text = JSON.stringify({
      mcpServers: {
        github: { command: "docker", args: ["run", "-i", "ghcr.io/github/server"], env: { GITHUB_TOKEN: "<YOUR_TOKEN>", LOG: "warn" } },
        "file system": { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/path/to/folder"], disabled: false },
      },
    });
    expect(pastedServers(text)).toEqual([
      {
        name: "github",
        transport: {
          by: "stdio",
          command: "docker",
          args: ["run", "-i", "ghcr.io/github/server"],
          env: { LOG: "warn" },
          secret_env: ["GITHUB_TOKEN"],
          needs: NO_NEEDS,
        },
        secrets: { GITHUB_TOKEN: "" },
        ignored: [],
        wrong: null,
      },
      expect.objectContaining({ name: "file-system", ignored: ["disabled"], secrets: {} }),
    ]);
  });

  it("is read in the forms of other programs, and as the piece that people copy", () => {
    const server = { command: "uvx", args: ["mcp-server-fetch"] };
    const forms = [
      { servers: { fetch: server } },
      { mcp: { servers: { fetch: server } } },
      { context_servers: { fetch: server } },
      { fetch: server },
      { mcp: { fetch: { command: ["uvx", "mcp-server-fetch"], type: "local" } } },
    ].map((form) => JSON.stringify(form));
    const piece = `"fetch": ${JSON.stringify(server)},`;
    const fenced = "```json\n{ // put this into the settings\n \"mcpServers\": { \"fetch\": { \"command\": \"uvx\", \"args\": [\"mcp-server-fetch\",], }, } }\n```";
    for (const form of [...forms, piece, fenced]) {
      expect(pastedServers(form), form).toMatchObject([{ name: "fetch", transport: { command: "uvx", args: ["mcp-server-fetch"] } }]);
    }
  });

  it("names a single server after its package or its host", () => {
    const named = (fields: object) => pastedServers(JSON.stringify(fields))?.map(({ name }) => name);
    expect(named({ command: "npx", args: ["-y", "@scope/server-x@1.2.3"] })).toEqual(["server-x"]);
    expect(named({ command: "/opt/tools/server" })).toEqual(["server"]);
    expect(named({ url: "https://mcp.example.org/v1" })).toEqual(["example"]);
    expect(named({ name: "mine", url: "https://mcp.example.org/v1" })).toEqual(["mine"]);
  });

  it("keeps the value of a secret apart, and says what cannot be taken over", () => {
    const [remote, many, broken] = pastedServers(
      JSON.stringify({
        mcpServers: {
          remote: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer s3cret" }, timeout: 5 },
          many: { url: "https://example.org/mcp", headers: { A: "1", B: "2" } },
          broken: { url: "https://ada:pw@example.org" },
        },
      }),
    )!;
    expect(remote).toMatchObject({ secrets: { Authorization: "Bearer s3cret" }, ignored: ["timeout"], wrong: null });
    expect(JSON.stringify(remote!.transport)).not.toContain("s3cret");
    expect([many!.wrong, broken!.wrong]).toEqual(["headers", "address"]);
  });

  it("is nothing where it is no JSON, and nobody where it is of something else", () => {
    expect(pastedServers("npx -y server")).toBeNull();
    expect(pastedServers('{ "name": "package", "version": "1" }')).toEqual([]);
    expect(pastedServers('{ "a": "// no comment, } here" }')).toEqual([]);
  });
});
