// Newer versions in the settings: what is said in each state, and that nothing is asked or fetched before it is pressed.
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { setTransport, type Installed, type Update, type UpdateState } from "@/ipc";
import { latch, startHost } from "@/test/host";
import { click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { openOverlay } from "./actions";
import { App } from "./App";

startAfresh();

const FEED = "https://updates.example/updates.json";
const UPDATE: Update = {
  version: "0.2.0",
  notes: "Faster.\n<b>Safer</b>.",
  published_at: "2026-11-20T08:00:00Z",
  url: "https://files.example/Siltstone_0.2.0_amd64.deb",
  host: "files.example",
  file: "Siltstone_0.2.0_amd64.deb",
  size: 48_300_000,
};
const STATE: UpdateState = { version: "0.1.0", installed_as: "deb", feed: FEED, update: null, fetched: false };

async function start(state: Partial<UpdateState> = {}, language: "en" | "ko" = "en") {
  const host = await startHost({ settings: { language } });
  let now = { ...STATE, ...state };
  host.instead("update_status", () => now);
  const looks = { count: 0 };
  host.instead("update_look", () => {
    looks.count += 1;
    now = { ...now, update: UPDATE };
    return { offered: UPDATE.version, state: now };
  });
  setTransport(host);
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  const name = language === "en" ? "Newer versions" : "새 버전";
  const section = within(await screen.findByRole("region", { name }));
  const become = (next: Partial<UpdateState>) => (now = { ...now, ...next });
  return { host, section, looks, become };
}

it.each([
  ["en", /names nobody who signs newer versions/],
  ["ko", /새 버전에 서명할 곳이 적혀 있지 않아서/],
] as const)("a copy that names nobody who signs offers nothing: %s", async (language, said) => {
  const host = await startHost({ settings: { language } });
  setTransport(host);
  render(<App />);
  act(() => openOverlay({ kind: "settings", tab: "about" }));
  const section = within(await screen.findByRole("region", { name: language === "en" ? "Newer versions" : "새 버전" }));
  await section.findByText(said);
  await gone(() => section.queryByRole("button"));
  await expectAccessible();
});

it("a copy that was built by hand offers nothing", async () => {
  const { section } = await start({ installed_as: "by_hand" });
  await section.findByText(/was not installed as a package/);
  await gone(() => section.queryByRole("button"));
});

it.each([
  ["en", "Look for a newer version", "Download (48.3 MB)", /Would be downloaded from files\.example, 48\.3 MB/, "Install", /^Installed\./],
  ["ko", "새 버전 찾기", "내려받기 (48.3 MB)", /files\.example에서 내려받게 될 것, 48\.3 MB/, "설치", /^설치했어요\./],
] as const)("is asked, shown, fetched and installed, each when it is pressed: %s", async (language, look, get, would, install, done) => {
  const { host, section, looks, become } = await start({}, language);
  await section.findByText((text) => text.includes(FEED));
  expect(looks.count).toBe(0);
  await click(look);
  await section.findByText(would);
  section.getByText(UPDATE.url);
  // Notes are text, whatever is in them.
  section.getByText(/<b>Safer<\/b>\./);
  await expectAccessible();

  const arrived = latch();
  host.instead("update_get", async (request, _real, onEvent) => {
    expect(request.version).toBe("0.2.0");
    onEvent({ bytes: 24_150_000, of: 48_300_000 });
    await arrived.opened;
    return become({ fetched: true });
  });
  await click(get);
  const bar = await section.findByRole("progressbar");
  expect(bar.getAttribute("aria-valuenow")).toBe("50");
  await expectAccessible();
  arrived.open();
  host.instead("update_install", () => {
    become({ update: null, fetched: false });
    return { how: "done" } satisfies Installed;
  });
  await click(install);
  await section.findByText(done);
  await gone(() => section.queryByText(UPDATE.url));
  await expectAccessible();
});

it("says when nothing is newer", async () => {
  const { host, section } = await start();
  host.instead("update_look", () => ({ offered: "0.0.9", state: STATE }));
  await click("Look for a newer version");
  await section.findByText("There is nothing newer. This is 0.1.0, and 0.0.9 is offered.");
});

it("shows the command where nothing can ask for a password", async () => {
  const command = "sudo /usr/bin/dpkg -i /home/ada/updates/Siltstone_0.2.0_amd64.deb";
  const { host, section } = await start({ update: UPDATE, fetched: true });
  host.instead("update_install", () => ({ how: "by_command", command }));
  await click("Install");
  await section.findByText(command);
  section.getByRole("button", { name: /^Copy/ });
  await expectAccessible();
});

it("cancels a download, which is no failure", async () => {
  const { host, section } = await start({ update: UPDATE });
  const cancelled = latch();
  host.instead("update_get", async () => {
    await cancelled.opened;
    return Promise.reject({ code: "cancelled", message: "cancelled", hint: "" });
  });
  host.instead("update_cancel", () => {
    cancelled.open();
    return null;
  });
  await click("Download (48.3 MB)");
  await section.findByRole("progressbar");
  fireEvent.click(section.getByRole("button", { name: "Cancel" }));
  await section.findByRole("button", { name: "Download (48.3 MB)" });
  await gone(() => section.queryByRole("alert"));
});

it.each([
  ["update_unsigned", "The signature does not fit what came."],
  ["update_replayed", "What came was signed as another version."],
  ["update_cut", "The download ended before it was whole."],
  ["update_redirected", "The download leads to another address than was shown, so it was stopped."],
  ["disk_full", "The download needs 48.3 MB."],
] as const)("says why a download came to nothing: %s", async (code, said) => {
  const { host, section } = await start({ update: UPDATE });
  host.failing("update_get", { code, message: "in the words of the program" });
  await click("Download (48.3 MB)");
  await section.findByText(said);
  section.getByRole("alert");
  // It can be tried again.
  await section.findByRole("button", { name: "Download (48.3 MB)" });
});

it("says so where the settings let nothing leave", async () => {
  const { host, section } = await start();
  host.failing("update_look", { code: "provider_not_local" });
  await click("Look for a newer version");
  await section.findByRole("alert");
});
