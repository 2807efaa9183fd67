// Keys and hosted models through the whole interface: recognised, tested, stored; a keyring that is
// locked or absent; the encrypted file; this computer only. What is typed never stays where it could be read again.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setTransport } from "@/ipc";
import { startHost, type Host, type HostOptions, type Surroundings } from "@/test/host";
import { button, click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const KEY = "sk-ant-api03-0123456789abcdefc3f9";
const ANTHROPIC = { name: "Anthropic", kind: "anthropic", base_url: "https://api.anthropic.com/v1" } as const;
const HOSTED = { elsewhere: true, key: KEY, models: [{ id: "opus", context_window: 200_000 }, { id: "haiku" }] };
const SEDIMENT = "sediment";

async function start(options: HostOptions = {}): Promise<Host> {
  const host = await startHost({ ...HOSTED, ...options });
  setTransport(host);
  render(<App />);
  await screen.findByText("Drop a project folder here");
  await click("Connect a model");
  return host;
}

const providers = async (host: Host) => (await host.invoke("provider_list", null)).map(({ name }) => name);
/** The keys that are kept, by their last characters. */
const keys = async (host: Host) => (await host.invoke("provider_list", null)).flatMap(({ key }) => (key ? [[key.place, key.last_four]] : []));

/** Anthropic is connected and the default, with its key where the options let it be. */
async function connected(world: Surroundings = {}, keyPlace: "keyring" | "vault" = "keyring"): Promise<Host> {
  const model = { reply: () => "Here I am" };
  if (keyPlace === "vault") world = { vault_locked: SEDIMENT, ...world };
  const host = await startHost({ ...HOSTED, model, provider: ANTHROPIC, keyPlace, passphrase: SEDIMENT });
  await host.world(world);
  setTransport(host);
  render(<App />);
  fireEvent.click(await button(/^Just talk/));
  await screen.findByRole("textbox", { name: "Message" });
  return host;
}

const field = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label, { selector: "input" });
const write = (name: string, value: string) => fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });
const type = (label: string | RegExp, value: string) => fireEvent.input(field(label), { target: { value } });

async function ask(text: string) {
  const composer = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.input(composer, { target: { value: text } });
  fireEvent.keyDown(composer, { key: "Enter", keyCode: 13 });
  fireEvent.keyUp(composer, { key: "Enter", keyCode: 13 });
}

const page = () => new XMLSerializer().serializeToString(document);

/** Nothing of the page holds the key: neither its text, nor a field, nor the browser's storage. */
function expectForgotten(secret: string) {
  expect(page()).not.toContain(secret);
  for (const input of document.querySelectorAll("input")) expect(input.value).not.toContain(secret);
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(secret);
}

describe("keys", () => {
  it("lead from a pasted one to a conversation with three presses", async () => {
    await start();
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await click("Start talking");
    await screen.findByRole("textbox", { name: "Message" });
    await screen.findByRole("button", { name: "Model: opus" });
    expectForgotten(KEY);
  });

  it("are asked of whom the person names, where they begin like another maker's", async () => {
    const host = await start();
    await click("DeepSeek");
    expect(document.activeElement).toBe(field("API key of DeepSeek"));
    const asked: string[] = [];
    host.instead("key_test", ({ record }) => {
      asked.push(record.base_url);
      return [];
    });
    type("API key of DeepSeek", "sk-somebody");
    await click("Test");
    await waitFor(() => expect(asked).toEqual(["https://api.deepseek.com/v1"]));
    await click("DeepSeek");
    field("API key");
  });

  it("are recognised, tested and stored, and the default model is chosen", async () => {
    const host = await start();
    expect(field("API key").type).toBe("password");
    expect(field("API key").autocomplete).toBe("off");
    type("API key", ` ${KEY}\n`);
    await screen.findByText("Anthropic recognised");
    await click("Show: API key");
    expect(field("API key").type).toBe("text");
    await click("Hide: API key");
    expect(page()).not.toContain(KEY);
    await click("Test");
    await screen.findByText("Anthropic answers, with 2 models", { selector: "p" });
    screen.getByText("Stored in your system keyring · …c3f9");
    expectForgotten(KEY);
    await expectAccessible();
    await click("Use this model");
    await screen.findByText("Answers come from opus (Anthropic).");
    expect((await host.settings()).default_provider).toBe("Anthropic");
  });

  it("that are refused leave nothing behind, unless the person keeps them", async () => {
    const host = await start();
    type("API key", "sk-ant-api03-another-and-wrong-0000");
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await screen.findByText("The server refused the key.");
    screen.getByText("Nothing was added.");
    await expectAccessible();
    expect(await providers(host)).toEqual(["offline"]);
    await click("Keep it anyway");
    await screen.findByText("Anthropic is connected, untested.");
    expect(await providers(host)).toEqual(["offline", "Anthropic"]);
    expect(await keys(host)).toEqual([["keyring", "0000"]]);
    expectForgotten("another-and-wrong");
  });

  it("nobody recognises go to the address they belong to", async () => {
    const host = await start({ key: "team-secret-of-our-server", models: [{ id: "qwen" }] });
    const address = host.server.baseUrl;
    const { host: name } = new URL(address);
    type("API key", "team-secret-of-our-server");
    await screen.findByText(/Nobody's keys begin like this/);
    await click("Test");
    fireEvent.change(await screen.findByRole("textbox", { name: "Base URL" }), { target: { value: `${address}/` } });
    await expectAccessible();
    await click("Test");
    await screen.findByText(`${name} answers, with 1 model`, { selector: "p" });
    expect((await host.invoke("provider_list", null)).at(-1)).toMatchObject({ name, kind: "openai", base_url: address });
    expect(host.server.received.at(-1)!.key).toBe("team-secret-of-our-server");
  });

  it("go below an address without a path, where a server answers there, and nowhere else", async () => {
    const secret = "team-secret-of-our-server";
    const host = await start({ key: secret, models: [{ id: "qwen" }] });
    const address = host.server.baseUrl;
    const { host: name, origin } = new URL(address);
    await click("Another address, or an agent");
    write("Base URL", `${origin}/`);
    screen.getByText("A key goes to this address alone.");
    // That one is there is known without a key.
    await click("Test");
    await screen.findByText("The server refused the key.");
    type("API key, if the server wants one", secret);
    await click("Test");
    await screen.findByText(`${name} answers, with 1 model`, { selector: "p" });
    screen.getByText(`It answers at ${address}, and is kept with that address.`);
    await expectAccessible();
    expect((await host.invoke("provider_list", null)).at(-1)).toMatchObject({ name, base_url: address });
    const asked = host.server.received.map(({ path, key }) => [path, key]);
    expect(asked.slice(-2)).toEqual([["/models", secret], ["/v1/models", secret]]);
    // What is written with a path is meant so.
    write("Base URL", `${origin}/api`);
    await click("Test");
    await screen.findByText("The server refused the request.");
    expect(host.server.received.at(-1)!.path).toBe("/api/models");
  });

  it("are kept under a server's own name, though what is drawn still has the test before for a moment", async () => {
    const secret = "team-secret-of-our-server";
    const host = await startHost({ ...HOSTED, key: secret, models: [{ id: "qwen" }] });
    let removed = false;
    let listed = () => {};
    const drawn = new Promise<void>((resolve) => (listed = resolve));
    host.instead("provider_list", async (_, real) => {
      const all = await real();
      if (all.length > 1) listed();
      return all;
    });
    host.instead("provider_models", (_, real) => drawn.then(real));
    host.instead("provider_remove", (_, real) => {
      removed = true;
      return real();
    });
    // That it is gone again is not heard of in time.
    const deaf = { onChanged: (listener: Parameters<Host["onChanged"]>[0]) => host.onChanged((changed) => removed || listener(changed)) };
    setTransport(Object.assign(Object.create(host) as Host, deaf));
    render(<App />);
    await click("Connect a model");
    await click("Another address, or an agent");
    const address = host.server.baseUrl;
    write("Base URL", address);
    await click("Test");
    await screen.findByText("The server refused the key.");
    type("API key, if the server wants one", secret);
    await click("Test");
    await screen.findByText(`${new URL(address).host} answers, with 1 model`, { selector: "p" });
    expect(await providers(host)).toEqual(["offline", new URL(address).host]);
  });

  it("go to a server that the person named, by a name that no other has", async () => {
    const host = await start({ key: "team-secret-of-our-server", models: [{ id: "qwen" }] });
    const address = host.server.baseUrl;
    await click("Another address, or an agent");
    write("Base URL", address);
    const name = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Name (optional)" });
    expect(name().placeholder).toBe(new URL(address).host);
    write("Name (optional)", " offline ");
    await screen.findByText("offline is taken. Choose another name.");
    expect(await button("Test")).toHaveProperty("disabled", true);
    await expectAccessible();
    write("Name (optional)", "Our server");
    await gone(() => screen.queryByText(/is taken/));
    type("API key, if the server wants one", "team-secret-of-our-server");
    await click("Test");
    await screen.findByText("Our server answers, with 1 model", { selector: "p" });
    expect(await providers(host)).toEqual(["offline", "Our server"]);
    // A key for the same address is for the same server, which keeps its name.
    write("Base URL", address);
    await waitFor(() => expect(name()).toMatchObject({ disabled: true, placeholder: "Our server" }));
    write("Base URL", "http://127.0.0.1:9/v1");
    write("Name (optional)", "Our server");
    await screen.findByText("Our server is taken. Choose another name.");
  });

  it("show what came of them, where it would be out of sight", async () => {
    const shown: Element[] = [];
    const scrolled = vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
      shown.push(this);
    });
    await start();
    type("API key", "sk-ant-api03-another-and-wrong-0000");
    await screen.findByText("Anthropic recognised");
    await click("Test");
    const refused = await screen.findByText("The server refused the key.");
    expect(shown.at(-1)!.contains(refused)).toBe(true);
    type("API key", KEY);
    await click("Test");
    const answers = await screen.findByText("Anthropic answers, with 2 models", { selector: "p" });
    expect(shown.at(-1)!.contains(answers)).toBe(true);
    expect(scrolled).toHaveBeenLastCalledWith({ block: "nearest" });
  });

  it("are kept for the session alone when the keyring is locked and the person wants that", async () => {
    const host = await start({ world: { keyring: "locked" } });
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await screen.findByText("Your keyring is locked.");
    await expectAccessible();
    expect(await providers(host)).toEqual(["offline"]);
    await click("For this session only");
    await screen.findByText("Kept for this session only · …c3f9");
    expect(await keys(host)).toEqual([["session", "c3f9"]]);
    expectForgotten(KEY);
  });

  it.each([
    { where: "For this session only", kept: "Kept for this session only · …c3f9" },
    { where: "In an encrypted file", kept: "Stored in the encrypted file · …c3f9" },
  ])("go elsewhere when an open keyring refuses them: $where", async ({ where, kept }) => {
    const host = await start({ world: { keyring_refuses: true } });
    await host.invoke("vault_unlock", { passphrase: SEDIMENT });
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await screen.findByText("The keyring refuses to keep it.");
    await expectAccessible();
    await click(where);
    await screen.findByText(kept);
    expect(await providers(host)).toEqual(["offline", "Anthropic"]);
    expectForgotten(KEY);
  });

  it("go on by themselves once the keyring is unlocked", async () => {
    await start({ world: { keyring: "locked" } });
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await click("Unlock keyring");
    await screen.findByText("Stored in your system keyring · …c3f9");
    await gone(() => screen.queryByText("Your keyring is locked."));
  });

  it("go into an encrypted file whose passphrase is asked twice", async () => {
    const host = await start({ world: { keyring: "absent" } });
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await screen.findByText("This system has no keyring.");
    await gone(() => screen.queryByRole("button", { name: "Unlock keyring" }));
    await click("In an encrypted file");
    await screen.findByLabelText("New passphrase");
    type("New passphrase", "short");
    await click("Make the file");
    await screen.findByText("At least 8 characters.");
    type("New passphrase", "침전물은 층을 이룬다");
    type("The same again", "침전물은 층을 이루다");
    await click("Make the file");
    await screen.findByText("The two are not the same.");
    await expectAccessible();
    expect((await host.invoke("key_state", null)).vault).toBe("absent");
    type("The same again", "침전물은 층을 이룬다");
    await click("Make the file");
    await screen.findByText("Stored in the encrypted file · …c3f9");
    expectForgotten(KEY);
    expectForgotten("침전물은");
  });

  it("in a locked file need its passphrase; a forgotten one can be discarded after a question", async () => {
    const host = await start({ world: { keyring: "absent", vault_locked: SEDIMENT } });
    type("API key", KEY);
    await screen.findByText("Anthropic recognised");
    await click("Test");
    await click("In an encrypted file");
    await screen.findByLabelText("Passphrase");
    type("Passphrase", "sentiment");
    await click("Open the encrypted file");
    await screen.findByText("This passphrase does not open the file.");
    expect(field("Passphrase").value).toBe("");
    await click("Forgotten");
    const question = await screen.findByRole("dialog", { name: "Discard the encrypted file?" });
    expect((await host.invoke("key_state", null)).vault).toBe("locked");
    fireEvent.click(within(question).getByRole("button", { name: "Discard the file" }));
    await screen.findByLabelText("New passphrase", { selector: "input" });
    expect((await host.invoke("key_state", null)).vault).toBe("absent");
  });

  it("are replaced and removed in the settings", async () => {
    const host = await connected();
    act(() => openOverlay({ kind: "settings", tab: "models" }));
    const page = await screen.findByRole("dialog", { name: "Settings" });
    await within(page).findByText("Stored in your system keyring · …c3f9");
    await expectAccessible();
    await click("Replace the key of Anthropic");
    type("Key of Anthropic", "sk-ant-api03-revoked-0123456789ffff");
    await click("Replace");
    await within(page).findByText("The server refused the key.");
    within(page).getByText("The earlier key stays in use.");
    within(page).getByText("Stored in your system keyring · …c3f9");
    expect(await keys(host)).toEqual([["keyring", "c3f9"]]);
    await click("Keep it anyway");
    await within(page).findByText("Stored in your system keyring · …ffff");
    await click("Enter key");
    type("Key of Anthropic", KEY);
    await click("Replace");
    await within(page).findByText("It answers, with 2 models. Default model:");
    expectForgotten(KEY);
    await click("Remove the key of Anthropic");
    const question = await screen.findByRole("dialog", { name: "Remove the key of Anthropic?" });
    fireEvent.click(within(question).getByRole("button", { name: "Remove the key" }));
    await within(page).findByText("No key yet");
    expect(await keys(host)).toEqual([]);
    await expectAccessible();
  });
});

describe("a turn that fails", () => {
  it("for want of a key leads to that provider's key, and is asked again", async () => {
    const host = await connected();
    await act(() => host.invoke("key_remove", { name: "Anthropic" }));
    await ask("Are you there?");
    await screen.findByText("This provider needs a key.");
    await expectAccessible();
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }).disabled).toBe(false);
    await click("Enter key");
    await screen.findByRole("dialog", { name: "Settings" });
    await waitFor(() => expect(document.activeElement).toBe(field("Key of Anthropic")));
    type("Key of Anthropic", KEY);
    await click("Store");
    await screen.findByText(/^It answers/);
    await click("Close");
    await click("Try again");
    await gone(() => screen.queryByText("This provider needs a key."));
    expect(await screen.findAllByText("Are you there?")).not.toHaveLength(0);
  });

  it("because the keyring is locked goes on when it is unlocked under it", async () => {
    const host = await connected({ keyring: "locked" });
    await ask("Are you there?");
    await screen.findByText("The keyring is locked.");
    await click("Unlock keyring");
    await screen.findByText("Here I am");
    expect((await host.invoke("key_state", null)).keyring).toBe("unlocked");
  });

  it("because the encrypted file is locked goes on with its passphrase", async () => {
    await connected({ keyring: "absent" }, "vault");
    await ask("Are you there?");
    await click("Open the encrypted file");
    await screen.findByLabelText("Passphrase");
    type("Passphrase", "sediment");
    await expectAccessible();
    await click("Open the encrypted file");
    await screen.findByText("Here I am");
    expectForgotten("sediment");
  });

  it("because only this computer may be asked says so, and the switch is one step away", async () => {
    const host = await connected();
    act(() => openOverlay({ kind: "settings", tab: "privacy" }));
    fireEvent.click(await screen.findByRole("switch", { name: "This computer only" }));
    await screen.findByText(/Nothing you write goes to a model elsewhere/);
    await expectAccessible();
    expect((await host.settings()).this_computer_only).toBe(true);
    await click("Close");
    await ask("Are you there?");
    await screen.findByText("That address is not on this computer.");
    await click("Privacy settings");
    fireEvent.click(await screen.findByRole("switch", { name: "This computer only" }));
    await click("Close");
    await click("Try again");
    await screen.findByText("Here I am");
  });
});
