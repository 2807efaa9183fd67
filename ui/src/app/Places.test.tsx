// Where checkpoints are kept, through the whole interface: a copy in the project's folder and none any more, stopped on the
// way, cleaned away, and a folder that another computer wrote.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { change, copy, lock, remove, startHost, type Host } from "@/test/host";
import { click, expectAccessible, gone, startAfresh } from "@/test/journey";
import { goToCheckpoints } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";
const THEIRS = "/home/grace/aurora";

async function start(before: (host: Host, projectId: string) => Promise<void> = async () => {}, language: "en" | "ko" = "en") {
  const host = await startHost({ folders: { [ROOT]: { "a.txt": "one\n" }, [THEIRS]: { "b.txt": "two\n" } }, settings: { language } });
  setTransport(host);
  const { id: projectId } = await host.open(ROOT);
  await make(host, projectId, "works");
  await before(host, projectId);
  render(<App />);
  act(() => goToCheckpoints({ projectId, conversationId: null }));
  return { host, projectId, place: () => host.invoke("checkpoint_place", { id: projectId }) };
}

const make = (host: Host, project_id: string, tag: string) => host.invoke("checkpoint_create", { project_id, conversation_id: null, tag });
/** Keeps a copy in the folder of a project; gives that of the copy. */
async function bring(host: Host, project_id: string): Promise<string> {
  const { path } = await host.stream("checkpoint_place_set", { project_id, to: "project" }, () => {});
  return path!;
}

const open = async (menu: string, item: string) => {
  await click(menu);
  fireEvent.click(await screen.findByRole("menuitem", { name: item }));
};
const toggle = () => screen.findByRole<HTMLElement>("switch", { name: "A copy in the project’s folder" });
const isOn = (on: boolean) =>
  waitFor(async () => expect((await toggle()).getAttribute("aria-checked")).toBe(String(on)));

describe("where checkpoints are kept", () => {
  it("is the project's folder too when asked, here alone again, and here when stopped", async () => {
    const { host, projectId, place } = await start();
    await open("From and to elsewhere", "Where they are kept…");
    const dialog = await screen.findByRole("dialog", { name: "Where checkpoints are kept" });
    await isOn(false);
    // Whoever is at the copy is waited for.
    const atIt = await lock(`${host.data}/checkpoints/places/${projectId}.lock`);
    fireEvent.click(await toggle());
    await within(dialog).findByText("Copying them into the project’s folder");
    fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await isOn(false);
    await gone(() => within(dialog).queryByRole("progressbar"));
    await gone(() => within(dialog).queryByRole("alert"));
    expect((await place()).kept).toBe("here");

    await atIt();
    fireEvent.click(await toggle());
    await within(dialog).findByText(new RegExp(`^${host.at(ROOT)}/\\.siltstone/checkpoints/[0-9a-f-]+$`));
    await isOn(true);
    await expectAccessible();
    fireEvent.click(await toggle());
    await isOn(false);
    await waitFor(async () => expect((await place()).kept).toBe("here"));
    // What this window moves is over for it, too: another one may begin.
    await gone(() => screen.queryByRole("progressbar"));
    expect(Object.keys(host.files(ROOT))).toEqual(["a.txt"]);
  });

  it("says when the copy is gone, and no more when the next checkpoint wrote it again", async () => {
    const { host, projectId, place } = await start(async (host, id) => remove(await bring(host, id)));
    await screen.findByText(/The copy in the project’s folder is not whole\. Nothing is lost/);
    await expectAccessible();
    await make(host, projectId, "still works");
    await gone(() => screen.queryByText(/is not whole/));
    await waitFor(async () => expect(await place()).toMatchObject({ kept: "project", whole: true, failed: null, lost: 0 }));
  });

  it("says what an earlier version left in the folder alone, until it is brought here", async () => {
    const { host, projectId, place } = await start(async (host, id) => {
      await bring(host, id);
      change(`${host.data}/checkpoints/places/${id}.json`, '"copied"', '"ours"');
    });
    await screen.findByText(/What earlier checkpoints hold is in the project’s folder alone\./);
    await make(host, projectId, "still works");
    await gone(() => screen.queryByText(/in the project’s folder alone/));
    await waitFor(async () => expect(await place()).toMatchObject({ kept: "project", whole: true, waits: false, lost: 0 }));
  });

  it("offers what another computer wrote, and takes it over only when asked, in Korean too", async () => {
    const { place } = await start(async (host) => {
      // As it comes with a folder that was copied from there.
      const { id } = await host.open(THEIRS);
      await make(host, id, "theirs");
      copy(await bring(host, id), host.at(`${ROOT}/.siltstone/checkpoints/019b-theirs`));
    }, "ko");
    await screen.findByText("이 프로젝트에 이 컴퓨터가 쓰지 않은 체크포인트 폴더가 1개 있어요.");
    await click("살펴보기…");
    await expectAccessible();
    expect((await place()).found[0]?.taken).toBe(false);
    await click("019b-theirs 가져오기");
    await screen.findByText("체크포인트 1개를 가져왔어요.");
    await gone(() => screen.queryByText(/쓰지 않은 체크포인트 폴더가/));
    expect((await place()).found[0]?.taken).toBe(true);
  });
});
