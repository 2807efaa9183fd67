// Where the fake's projects keep their checkpoints. Nothing is copied; progress comes in four steps.
import type { CheckpointPlace, Commands, ProjectId } from "../bindings";
import { failure, newId, type State } from "./state";

export type PlaceStates = Map<ProjectId, CheckpointPlace & { stopped: boolean }>;

const STEPS = 4;

type Names =
  | "checkpoint_place"
  | "checkpoint_place_cancel"
  | "checkpoint_place_take"
  | "checkpoint_place_move";

type Handlers = {
  [C in Names]: (
    request: Commands[C]["request"],
    onEvent: (event: Commands[C]["event"]) => void,
  ) => Commands[C]["reply"] | Promise<Commands[C]["reply"]>;
};

/** What is known of a project's place; a test may change it. */
export function of(state: State, id: ProjectId): CheckpointPlace & { stopped: boolean } {
  let place = state.places.get(id);
  if (!place) {
    place = { kept: "here", path: null, gone: false, lost: 0, working: false, found: [], stopped: false };
    state.places.set(id, place);
  }
  return place;
}

function shown(state: State, id: ProjectId): CheckpointPlace {
  const { kept, path, gone, lost, working, found } = of(state, id);
  return { kept, path, gone, lost, working, found: found.map((folder) => ({ ...folder })) };
}

export function handlers(state: State): Handlers {
  return {
    checkpoint_place: ({ id }) => shown(state, id),
    checkpoint_place_cancel: ({ id }) => {
      const place = of(state, id);
      place.stopped = place.working;
      return null;
    },
    checkpoint_place_take: ({ project_id, name }) => {
      const folder = of(state, project_id).found.find((one) => one.name === name);
      if (!folder) throw failure("not_found", name);
      folder.taken = true;
      state.emit({ type: "checkpoints" });
      return { taken: [newId()], left_out: 0, sealed: false };
    },
    checkpoint_place_move: async ({ project_id, to }, onEvent) => {
      const place = of(state, project_id);
      if (place.working) throw failure("conflict", "this is being done already");
      if (place.kept === to) throw failure("conflict", "its checkpoints are there already");
      Object.assign(place, { working: true, stopped: false });
      try {
        for (let step = 1; step <= STEPS; step += 1) {
          await new Promise((resolve) => setTimeout(resolve, state.options.delayMs ?? 0));
          if (place.stopped) throw failure("cancelled", "cancelled");
          onEvent({ done: step, total: STEPS });
        }
      } finally {
        place.working = false;
        state.emit({ type: "checkpoints" });
      }
      const root = state.projects.get(project_id)?.path ?? "";
      place.kept = to;
      place.path = to === "project" ? `${root}/.siltstone/checkpoints/019b` : null;
      return shown(state, project_id);
    },
  };
}
