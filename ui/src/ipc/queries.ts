// What screens read, cached by topic. Nothing goes stale by time: the host broadcasts `changed`
// and exactly the queries of its topics are read again.
import { type DataTag, infiniteQueryOptions, keepPreviousData, QueryClient, type QueryKey, queryOptions } from "@tanstack/react-query";
import { call, onChanged, onDamage, type ChangesOf, type CheckpointId, type ConversationId, type ForgetWhat, type MemoryAt, type MessageId, type NodeId, type PlanVault, type ProjectId, type RequestOf, type RestoreParts, type SearchVault, type ShareWish, type SkillRef, type SkillsAt, type SummaryId, type Topic, type TurnId, type Unlisten, type VaultRef } from ".";
import type { Failure } from "./bindings";
import { readSettings } from "./settings";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: Failure;
  }
}

/** What goes stale while it is asked for the first time is asked for once more when it is here: it may be of before. */
class Client extends QueryClient {
  override invalidateQueries(...[filters, options]: Parameters<QueryClient["invalidateQueries"]>): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: "fetching" })) {
      // What is there already is asked for anew by itself; a first answer would be taken for the newest.
      if (query.state.data !== undefined) continue;
      const again = () => super.invalidateQueries({ queryKey: query.queryKey, exact: true });
      query.promise?.then(again, () => {});
    }
    return super.invalidateQueries(filters, options);
  }
}

/**
 * Shows what a command answered. A look that began before the command was done may come after its answer and would stay:
 * it is looked at once more.
 */
export function showAnswer<T>(client: QueryClient, { queryKey }: { queryKey: DataTag<QueryKey, T, Failure> }, answer: NoInfer<T>): void {
  client.setQueryData<T>(queryKey, () => answer);
  void client.invalidateQueries({ queryKey, exact: true });
}

export function createQueryClient(): QueryClient {
  return new Client({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The host is on this computer; the browser's idea of "offline" says nothing about it.
        networkMode: "always",
      },
    },
  });
}

/** Looked at again whenever it comes into sight. */
const LIVE = { staleTime: 0, refetchOnWindowFocus: true };

export const queries = {
  appInfo: () => queryOptions({ queryKey: ["app"], queryFn: () => call("app_info") }),
  /** How this copy stands to newer versions. Nobody is asked for it. */
  update: () => queryOptions({ queryKey: ["update"], queryFn: () => call("update_status"), staleTime: 0 }),
  backups: () => queryOptions({ queryKey: ["backups"], queryFn: () => call("backup_list"), staleTime: 0 }),
  /** What going back would change; looked at anew whenever it is asked. */
  backupPlan: (name: string) =>
    queryOptions({
      queryKey: ["backups", "plan", name],
      queryFn: () => call("backup_plan", { name }),
      staleTime: 0,
      gcTime: 0,
    }),
  /** What deleting a conversation for ever would not reach. */
  traces: (id: ConversationId) =>
    queryOptions({
      queryKey: ["conversation", id, "traces"],
      queryFn: () => call("conversation_traces", { id }),
      staleTime: 0,
      gcTime: 0,
    }),
  /** What could be read of a damaged database; it takes as long as doing it. */
  salvagePlan: () =>
    queryOptions({
      queryKey: ["backups", "salvage"],
      queryFn: () => call("salvage_plan"),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  settings: () => queryOptions({ queryKey: ["settings"], queryFn: readSettings }),
  projects: () => queryOptions({ queryKey: ["projects"], queryFn: () => call("project_list") }),
  /** What goes when a project is forgotten. */
  projectHolds: (id: ProjectId) =>
    queryOptions({ queryKey: ["projects", "holds", id], queryFn: () => call("project_holds", { id }), staleTime: 0 }),
  /** How copies can be made of a project, and where: somebody may make it a repository at any time. */
  copyPlace: (id: ProjectId) =>
    queryOptions({ queryKey: ["projects", "copyPlace", id], queryFn: () => call("copy_place", { id }), ...LIVE }),
  /** What goes with a copy; looked at anew whenever it is asked. */
  copyHolds: (id: ProjectId) =>
    queryOptions({ queryKey: ["copyHolds", id], queryFn: () => call("copy_holds", { id }), staleTime: 0, gcTime: 0 }),
  providers: () => queryOptions({ queryKey: ["providers"], queryFn: () => call("provider_list") }),
  models: (name: string) =>
    queryOptions({
      queryKey: ["providers", "models", name],
      queryFn: () => call("provider_models", { name }),
      staleTime: 30_000,
    }),
  /** Where keys can go. A keyring can be locked at any time and nobody tells us. */
  keys: () => queryOptions({ queryKey: ["keys"], queryFn: () => call("key_state"), staleTime: 0 }),
  /** Who makes vectors of messages, and how far that is. */
  meaning: () => queryOptions({ queryKey: ["meaning", "state"], queryFn: () => call("meaning_state"), ...LIVE }),
  meaningModels: (name: string) =>
    queryOptions({
      queryKey: ["meaning", "models", name],
      queryFn: () => call("meaning_models", { name }),
      staleTime: 30_000,
    }),
  discover: () =>
    queryOptions({
      queryKey: ["discover"],
      queryFn: () => call("provider_discover"),
      staleTime: 30_000,
    }),
  prices: () => queryOptions({ queryKey: ["prices"], queryFn: () => call("price_list"), staleTime: 0 }),
  /** What this month has cost; every reply adds to it. */
  spending: () => queryOptions({ queryKey: ["spending"], queryFn: () => call("spending_get"), staleTime: 0 }),
  conversations: (project_id: ProjectId | null, trashed = false) =>
    queryOptions({
      queryKey: ["conversations", project_id, trashed],
      queryFn: () => call("conversation_list", { project_id, trashed }),
    }),
  conversation: (id: ConversationId) =>
    queryOptions({
      queryKey: ["conversation", id, "detail"],
      queryFn: () => call("conversation_get", { id }),
    }),
  /** All replies to a question, each with what was called in it; any of them names them. */
  versions: (id: ConversationId, question: MessageId, reply: MessageId) =>
    queryOptions({
      queryKey: ["conversation", id, "versions", question],
      queryFn: () => call("conversation_versions", { id: reply }),
    }),
  summaries: (id: ConversationId) =>
    queryOptions({
      queryKey: ["conversation", id, "summaries"],
      queryFn: () => call("summary_list", { id }),
    }),
  /** What was sent for a turn. */
  sent: (id: ConversationId, turn: TurnId) =>
    queryOptions({
      queryKey: ["conversation", id, "sent", turn],
      queryFn: () => call("request_sent", { id: turn }),
    }),
  /** What was sent with one call of the model within a turn. */
  sentCall: (id: ConversationId, turn_id: TurnId, node_id: NodeId) =>
    queryOptions({
      queryKey: ["conversation", id, "sent", turn_id, node_id],
      queryFn: () => call("call_sent", { turn_id, node_id }),
    }),
  /** What a summary keeps and leaves behind; memory may come to say it. */
  foldCheck: (conversation_id: ConversationId, id: SummaryId) =>
    queryOptions({
      queryKey: ["conversation", conversation_id, "check", id],
      queryFn: () => call("summary_check", { id }),
      staleTime: 0,
    }),
  /** The next fold at a rate, in sentences chosen without a model; null where nothing can be folded. */
  foldSketch: (id: ConversationId, rate: number) =>
    queryOptions({
      queryKey: ["conversation", id, "sketch", rate],
      queryFn: () => call("summary_sketch", { id, rate }),
      staleTime: 0,
    }),
  context: (project_id: ProjectId | null) =>
    queryOptions({
      queryKey: ["context", project_id],
      queryFn: () => call("context_get", { project_id }),
      // A message leaves what it brought.
      staleTime: 0,
    }),
  /** The layers of a place. */
  memory: (at: MemoryAt) => queryOptions({ queryKey: ["memory", at, "layers"], queryFn: () => call("memory_layers", at) }),
  effective: (at: MemoryAt) =>
    queryOptions({ queryKey: ["memory", at, "effective"], queryFn: () => call("memory_effective", at) }),
  memoryFile: (project_id: ProjectId | null, path: string) =>
    queryOptions({
      queryKey: ["memory", project_id, path, "text"],
      queryFn: () => call("memory_open", { project_id, path }),
    }),
  memoryVersions: (project_id: ProjectId | null, path: string) =>
    queryOptions({
      queryKey: ["memory", project_id, path, "versions"],
      queryFn: () => call("memory_versions", { project_id, path }),
    }),
  /** A version never changes. */
  memoryVersion: (seq: number) =>
    queryOptions({ queryKey: ["memoryVersion", seq], queryFn: () => call("memory_version", { seq }) }),
  /** The files of other agents in which memory is kept, and what they would say. */
  shareFiles: (id: ProjectId) =>
    queryOptions({ queryKey: ["memory", id, "share"], queryFn: () => call("share_list", { id }), gcTime: 0 }),
  sharePlans: (project_id: ProjectId, files: ShareWish[]) =>
    queryOptions({
      queryKey: ["memory", project_id, "share", files],
      queryFn: () => call("share_look", { project_id, files }),
      placeholderData: keepPreviousData,
    }),
  memoryChanges: (id: ProjectId) =>
    queryOptions({ queryKey: ["memory", id, "changes"], queryFn: () => call("memory_changes", { id }) }),
  memoryDraft: (id: ProjectId) =>
    queryOptions({ queryKey: ["memory", id, "draft"], queryFn: () => call("memory_draft", { id }), gcTime: 0 }),
  /** Checkpoints of a project, the newest first. */
  checkpoints: (project_id: ProjectId) =>
    infiniteQueryOptions({
      queryKey: ["checkpoints", "list", project_id],
      queryFn: ({ pageParam }) => call("checkpoint_list", { project_id, before: pageParam, limit: 100 }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ items, more }) => (more ? (items.at(-1)?.created_at ?? null) : null),
    }),
  checkpoint: (id: CheckpointId) =>
    queryOptions({ queryKey: ["checkpoints", "detail", id], queryFn: () => call("checkpoint_get", { id }) }),
  /** What is different in another one, or now: which may change at any time. */
  checkpointDiff: (id: CheckpointId, other: CheckpointId | null) =>
    queryOptions({
      queryKey: ["checkpoints", "diff", id, other],
      queryFn: () => call("checkpoint_diff", { id, with: other }),
      ...(other === null && LIVE),
    }),
  checkpointFile: (id: CheckpointId, other: CheckpointId | null, path: string) =>
    queryOptions({
      queryKey: ["checkpoints", "file", id, other, path],
      queryFn: () => call("checkpoint_file_diff", { id, with: other, path }),
      ...(other === null && LIVE),
    }),
  /** The files that a turn changed, or that are different in a copy, and whether they still say so. */
  changes: (of: ChangesOf) =>
    queryOptions({ queryKey: ["checkpoints", "changes", of], queryFn: () => call("changes_get", of), ...LIVE }),
  /** The same with the differences, of one file or of all; looked at anew whenever it is asked. */
  review: (of: ChangesOf, path: string | null = null) =>
    queryOptions({
      queryKey: ["review", of, path],
      queryFn: () => call("changes_review", { of, path }),
      staleTime: 0,
      gcTime: 0,
    }),
  /** A plan is made once for each choice of parts; the person then decides about its files. */
  restorePlan: (id: CheckpointId, parts: RestoreParts) =>
    queryOptions({
      queryKey: ["restorePlan", id, parts],
      queryFn: () => call("checkpoint_plan", { id, parts }),
      gcTime: 0,
    }),
  /** What taking over the changes of a copy would do to its project; made once each time it is asked. */
  copyPlan: (id: ProjectId) =>
    queryOptions({ queryKey: ["restorePlan", "copy", id], queryFn: () => call("copy_plan", { id }), gcTime: 0 }),
  sealing: () => queryOptions({ queryKey: ["sealing"], queryFn: () => call("checkpoint_sealing"), staleTime: 0 }),
  /** Checkpoints that other programs left, at the places of seed 004. */
  foreignCheckpoints: (id: ProjectId) =>
    queryOptions({ queryKey: ["checkpoints", "foreign", id], queryFn: () => call("checkpoint_foreign_list", { id }), ...LIVE }),
  /** Where a project keeps its checkpoints, and what others left there. */
  checkpointPlace: (id: ProjectId) =>
    queryOptions({ queryKey: ["checkpoints", "place", id], queryFn: () => call("checkpoint_place", { id }), ...LIVE }),
  remotes: () => queryOptions({ queryKey: ["remotes"], queryFn: () => call("remote_list"), staleTime: 0 }),
  /** What a remote keeps; other computers push to it too. */
  remoteCheckpoints: (name: string) =>
    queryOptions({
      queryKey: ["checkpoints", "remote", name],
      queryFn: () => call("remote_checkpoints", { name }),
      staleTime: 0,
      gcTime: 0,
    }),
  /** Where the work in a project stands, and how its files do. */
  session: (id: ProjectId) => queryOptions({ queryKey: ["session", id, "view"], queryFn: () => call("session_get", { id }) }),
  workflow: (id: ProjectId) =>
    queryOptions({ queryKey: ["session", id, "workflow"], queryFn: () => call("workflow_get", { id }) }),
  proposals: (id: ProjectId) =>
    queryOptions({ queryKey: ["session", id, "proposals"], queryFn: () => call("proposal_list", { id }) }),
  /** Where the work stopped. It is of conversations, too, so it is looked at whenever it comes into sight. */
  resume: (id: ProjectId) =>
    queryOptions({ queryKey: ["session", id, "resume"], queryFn: () => call("session_resume", { id }), ...LIVE }),
  /** Calls of a conversation that wait for the person. */
  approvals: (id: ConversationId) =>
    queryOptions({ queryKey: ["tools", "approvals", id], queryFn: () => call("approval_list", { id }), staleTime: 0 }),
  /** A turn as it was carried out. */
  run: (id: ConversationId, turn: TurnId) =>
    queryOptions({ queryKey: ["conversation", id, "run", turn], queryFn: () => call("run_get", { id: turn }) }),
  /** Tools at a place, and what was remembered about them. */
  toolPanel: (project_id: ProjectId | null) =>
    queryOptions({ queryKey: ["tools", "panel", project_id], queryFn: () => call("tool_panel", { project_id }) }),
  /** Servers at a place, with how they stood the last time. */
  mcp: (project_id: ProjectId | null) =>
    queryOptions({ queryKey: ["tools", "mcp", project_id], queryFn: () => call("mcp_list", { project_id }), staleTime: 0 }),
  /** Servers that files of a project name. */
  mcpFound: (id: ProjectId) =>
    queryOptions({ queryKey: ["tools", "found", id], queryFn: () => call("mcp_found", { id }), ...LIVE }),
  /** What trusted servers have to read for a conversation: they are asked when somebody looks, and each time anew. */
  resources: (id: ConversationId) =>
    queryOptions({ queryKey: ["resources", id], queryFn: () => call("mcp_resources", { id }), staleTime: 0, gcTime: 0, retry: false }),
  /** What one of it says now. */
  resource: (named: RequestOf<"mcp_resource">) =>
    queryOptions({
      queryKey: ["resources", named.conversation_id, named.server, named.uri],
      queryFn: () => call("mcp_resource", named),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  /** Skills at a place: folders that may be another way at any time, and nobody tells us. */
  skills: (at: SkillsAt) => queryOptions({ queryKey: ["skills", "list", at], queryFn: () => call("skill_list", at), ...LIVE }),
  /** What one of them says now. */
  skill: (one: SkillRef) =>
    queryOptions({ queryKey: ["skills", "text", one], queryFn: () => call("skill_text", one), staleTime: 0, gcTime: 0, retry: false }),
  /** Lines that models want to be remembered. */
  inbox: (project_id: ProjectId | null) =>
    queryOptions({ queryKey: ["tools", "inbox", project_id], queryFn: () => call("inbox_list", { project_id }) }),
  /** Folders of agents, as they are on the disk now. */
  vaultSources: () => queryOptions({ queryKey: ["vault", "sources"], queryFn: () => call("vault_sources"), ...LIVE }),
  /** What is kept of them. */
  vaultStatus: () => queryOptions({ queryKey: ["vault", "status"], queryFn: () => call("vault_status") }),
  /** All of their sessions, the newest first: what is searched for in them is searched for here. */
  vaultList: () => queryOptions({ queryKey: ["vault", "list"], queryFn: () => call("vault_list", { agent: null, folder: null, limit: null }) }),
  /** The last of those that worked in a folder, or beneath it. */
  vaultIn: (folder: string, limit: number) =>
    queryOptions({ queryKey: ["vault", "list", folder, limit], queryFn: () => call("vault_list", { agent: null, folder, limit }) }),
  /** What was said in them. */
  vaultSearch: (asked: SearchVault) =>
    queryOptions({ queryKey: ["vault", "search", asked], queryFn: () => call("vault_search", asked), placeholderData: keepPreviousData, gcTime: 60_000 }),
  /** One of them, whole: it may be large. */
  vaultSession: (session: VaultRef) =>
    queryOptions({ queryKey: ["vault", "session", session], queryFn: () => call("vault_session", session), gcTime: 60_000 }),
  /** What its compactions dropped. */
  vaultDropped: (session: VaultRef) =>
    queryOptions({ queryKey: ["vault", "dropped", session], queryFn: () => call("vault_dropped", session), gcTime: 60_000 }),
  /** What would go on, and what would stay behind. */
  vaultPlan: (asked: PlanVault) =>
    queryOptions({ queryKey: ["vault", "plan", asked], queryFn: () => call("vault_plan", asked), gcTime: 0, retry: false }),
  /** What forgetting would take away; looked at anew whenever it is asked. */
  vaultForgets: (what: ForgetWhat) =>
    queryOptions({
      queryKey: ["vault", "forgets", what],
      queryFn: () => call("vault_forget", { what, yes: false }),
      staleTime: 0,
      gcTime: 0,
    }),
  file: (id: ProjectId, path: string) =>
    queryOptions({
      queryKey: ["file", id, path],
      queryFn: () => call("project_file", { id, path }),
      // A file may change at any time and nobody tells us.
      staleTime: 0,
      gcTime: 0,
    }),
};

/** The first parts of the keys that a topic makes stale. */
export function staleKeys(topic: Topic): string[][] {
  switch (topic.type) {
    case "all":
      return [[]];
    case "conversations":
      return [["conversations"]];
    case "conversation":
      return [["conversation", topic.id], ["spending"], ["context"]];
    case "projects":
      // Trust decides what a request contains, so every preview is stale too.
      return [["projects"], ["preview"], ["memory"], ["tools"], ["skills"]];
    case "settings":
      return [["settings"], ["tools"], ["skills"], ["memory"], ["conversation"], ["preview"], ["spending"], ["prices"], ["checkpoints", "list"]];
    case "providers":
      // What an agent offers says which messages go alone.
      return [["providers"], ["discover"], ["keys"], ["prices"], ["preview"]];
    case "context":
      return [["preview"], ["context"]];
    case "memory":
      return [["memory"], ["skills"], ["preview"], ["context"]];
    case "checkpoints":
      return [["checkpoints"], ["sealing"]];
    case "tools":
      // What is offered is part of every request.
      return [["tools"], ["preview"]];
    case "meaning":
      return [["meaning", "state"]];
    case "sessions":
      // The plan is part of every request.
      return [["session"], ["preview"]];
    case "vault":
      return [["vault"]];
  }
}

/** Reads again what the host says has changed, and how the data is when something of it could not be read. */
export function followChanges(client: QueryClient): Unlisten {
  const deaf = onDamage(() => void client.invalidateQueries({ queryKey: ["app"] }));
  const still = onChanged(({ topics }) => {
    for (const topic of topics) {
      // Of another database, as after a restore: what is not in sight would be shown once more before it is read again.
      if (topic.type === "all") client.removeQueries({ type: "inactive", fetchStatus: "idle" });
      for (const queryKey of staleKeys(topic)) void client.invalidateQueries({ queryKey });
      if (topic.type === "conversation") void client.invalidateQueries({ queryKey: ["preview", topic.id] });
    }
  });
  return () => {
    deaf();
    still();
  };
}
