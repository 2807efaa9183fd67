// Where checkpoints are kept, through the whole interface on the fake host: into the project's folder and back, stopped
// on the way, gone, and a folder that another computer wrote.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setTransport } from "@/ipc";
import { createFake, type Fake } from "@/ipc/fake";
import { of } from "@/ipc/fake/places";
import { click, expectAccessible, startAfresh } from "@/test/journey";
import { goToCheckpoints } from "./actions";
import { App } from "./App";

startAfresh();

const ROOT = "/home/ada/aurora";

async function start(before: (fake: Fake, projectId: string) => void = () => {}, language: "en" | "ko" = "en") {
  const fake = createFake({ folders: { [ROOT]: { files: { "a.txt": "one\n" } } }, settings: { language } });
  setTransport(fake);
  const { id: projectId } = await fake.invoke("project_open", { path: ROOT, trust: "trusted", this_computer_only: null });
  await fake.invoke("checkpoint_create", { project_id: projectId, conversation_id: null, tag: "works" });
  before(fake, projectId);
  render(<App />);
  act(() => goToCheckpoints({ projectId, conversationId: null }));
  return { fake, projectId };
}

const open = async (menu: string, item: string) => {
  await click(menu);
  fireEvent.click(await screen.findByRole("menuitem", { name: item }));
};
const toggle = () => screen.findByRole<HTMLElement>("switch", { name: "In the project’s folder" });
const isOn = (on: boolean) =>
  waitFor(async () => expect((await toggle()).getAttribute("aria-checked")).toBe(String(on)));

describe("where checkpoints are kept", () => {
  it("is the project's folder when asked, here again, and where it was when stopped", async () => {
    const { fake, projectId } = await start();
    fake.state.options.delayMs = 30;
    await open("From and to elsewhere", "Where they are kept…");
    const dialog = await screen.findByRole("dialog", { name: "Where checkpoints are kept" });
    fireEvent.click(await toggle());
    await within(dialog).findByText("Bringing them into the project’s folder");
    fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await isOn(false);
    await waitFor(() => expect(within(dialog).queryByRole("progressbar")).toBeNull());
    expect(of(fake.state, projectId).kept).toBe("here");

    fake.state.options.delayMs = 0;
    fireEvent.click(await toggle());
    await within(dialog).findByText(`${ROOT}/.siltstone/checkpoints/019b`);
    await isOn(true);
    await expectAccessible();
    fireEvent.click(await toggle());
    await isOn(false);
    await waitFor(() => expect(of(fake.state, projectId).kept).toBe("here"));
  });

  it("says when the folder is gone", async () => {
    await start((fake, id) =>
      Object.assign(of(fake.state, id), { kept: "project", path: `${ROOT}/.siltstone/checkpoints/x`, gone: true, lost: 2 }),
    );
    await screen.findByText(/or a part of it, is gone\. 2 checkpoints lost what they held\./);
    await expectAccessible();
  });

  it("offers what another computer wrote, and takes it over only when asked, in Korean too", async () => {
    const { fake, projectId } = await start((fake, id) => {
      of(fake.state, id).found = [{ name: "019b-theirs", bytes: 12_000, taken: false }];
    }, "ko");
    await screen.findByText("이 프로젝트에 이 컴퓨터가 쓰지 않은 체크포인트 폴더가 1개 있어요.");
    await click("살펴보기…");
    await expectAccessible();
    expect(of(fake.state, projectId).found[0]?.taken).toBe(false);
    await click("019b-theirs 가져오기");
    await screen.findByText("체크포인트 1개를 가져왔어요.");
    await waitFor(() => expect(screen.queryByText(/쓰지 않은 체크포인트 폴더가/)).toBeNull());
  });
});
