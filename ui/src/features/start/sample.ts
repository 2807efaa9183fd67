// The sample project: a recorded conversation to walk through, which opens at its beginning with a short tour.
import { goToConversation, jumpTo, showProject, usePlace } from "@/app/actions";
import { call } from "@/ipc";
import { useAct } from "@/shared/kit";

export function useOpenSample() {
  const { running, failure, act } = useAct();
  const open = () =>
    void act(async () => {
      const { project, conversation_id } = await call("sample_open");
      const { messages } = await call("conversation_page", { id: conversation_id, start: 0, limit: 1 });
      showProject(project.id);
      usePlace.setState({ touring: conversation_id });
      goToConversation({ id: conversation_id, project_id: project.id });
      const [first] = messages;
      if (first) jumpTo(conversation_id, { messageId: first.id }, false);
    });
  return { running, failure, open };
}
