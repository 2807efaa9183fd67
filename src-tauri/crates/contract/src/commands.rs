//! The table of commands: name, request, reply. Callers hand the table a macro and get every row.
//!
//! `resource_verb` names. A request or reply of nothing is `()`. The `app` rows are methods of `App` with the same
//! name; `streams` rows also get a channel for events; `host` rows need a window and exist in the shell alone.

/// Calls `$with!` with all rows: `app { … } streams { … } host { … }`.
#[macro_export]
macro_rules! for_each_command {
    ($with:ident) => {
        $with! {
            app {
                /// Version, folders, languages and what start-up found.
                app_info: () => AppInfo;
                /// Puts a backup in the place of a damaged database; the damaged one is moved aside.
                backup_restore: RestoreBackup => ();
                /// Begins with an empty database; a damaged one is moved aside and kept, and backups stay.
                data_start_anew: () => ();

                /// The settings.
                settings_get: () => Settings;
                /// Stores all settings.
                settings_set: Settings => Settings;

                /// Cancels a running probe.
                project_probe_cancel: CancelProbe => ();
                /// Opens a folder with the person's answer about trust.
                project_open: OpenProject => Project;
                /// Folders that were opened, the last one first.
                project_list: () => Vec<Project>;
                /// One project.
                project_get: ProjectRef => Project;
                /// Changes the person's answer about trust.
                project_trust: TrustProject => Project;
                /// Forgets a folder; its conversations stay.
                project_forget: ProjectRef => ();
                /// The text of a file of the project, for reading.
                project_file: ReadProjectFile => ProjectFile;

                /// Conversations for the list.
                conversation_list: ListConversations => Vec<ConversationItem>;
                /// A new, empty conversation.
                conversation_create: CreateConversation => ConversationItem;
                /// One conversation with its draft and queue.
                conversation_get: ConversationRef => ConversationDetail;
                /// A stretch of the shown path.
                conversation_page: PageConversation => ConversationPage;
                /// Where a message stands on the shown path; shows another branch first if it must.
                conversation_locate: MessageRef => Located;
                /// Gives a title.
                conversation_rename: RenameConversation => ();
                /// Pins or unpins.
                conversation_pin: PinConversation => ();
                /// Chooses provider and model for this conversation.
                conversation_model: ChooseModel => ();
                /// Keeps what is in the composer.
                conversation_draft: SaveDraft => ();
                /// Moves to the trash.
                conversation_delete: ConversationRef => ();
                /// Takes out of the trash.
                conversation_restore: ConversationRef => ();
                /// Deletes a trashed conversation for ever.
                conversation_purge: ConversationRef => ();
                /// The conversation as text.
                conversation_export: ExportConversation => ExportedText;
                /// A conversation from text that was exported.
                conversation_import: ImportConversation => ConversationItem;
                /// Full-text search over messages.
                search: Search => SearchHits;

                /// Makes a message durable and asks the model, or queues it while a reply is on its way.
                send: SendMessage => Sent;
                /// Asks again with another text; the old message stays as a sibling.
                edit: EditMessage => Sent;
                /// Another reply to the same question; the old one stays as a sibling.
                regenerate: MessageRef => Sent;
                /// Goes on where an interrupted reply stopped.
                continue_reply: MessageRef => Sent;
                /// Stops the reply of a conversation; what came is kept.
                stop: ConversationRef => ();
                /// Takes a waiting message out of the queue.
                unqueue: MessageRef => ();
                /// Shows the newest path through this message.
                branch_switch: MessageRef => ();

                /// What the next message would send.
                request_preview: PreviewRequest => RequestView;
                /// What was sent for a reply, rebuilt from its manifest.
                request_sent: TurnRef => SentRequestView;

                /// Providers, the offline one first.
                provider_list: () => Vec<ProviderItem>;
                /// Adds or changes a provider.
                provider_add: ProviderRecord => ProviderItem;
                /// Removes a provider.
                provider_remove: ProviderRef => ();
                /// The models of a provider; also a test of the connection.
                provider_models: ProviderRef => Vec<ModelInfo>;
                /// Servers that answer on this computer.
                provider_discover: () => Vec<FoundServer>;
                /// Chooses provider and model for conversations that chose none.
                provider_default: DefaultModel => Settings;

                /// Where keys can go.
                key_state: () => KeysState;
                /// The provider whose keys begin like this one, to be suggested.
                key_recognise: RecogniseKey => Option<ProviderRecord>;
                /// Keeps a provider's key at the chosen place, instead of the earlier one.
                key_set: SetKey => KeyShown;
                /// Forgets a provider's key.
                key_remove: ProviderRef => ();
                /// Lets the system ask the person to open its keyring; answers when that is done.
                keyring_unlock: () => KeysState;
                /// Opens the encrypted file; makes it with this passphrase when there is none.
                vault_unlock: UnlockVault => KeysState;
                /// Deletes the encrypted file with every key in it.
                vault_discard: () => KeysState;
            }
            streams {
                /// Looks through a folder and says what it would bring.
                project_probe: ProbeProject => Probe, ProbeEvent;
                /// Follows the reply of a conversation until nothing is on its way any more.
                turn_watch: ConversationRef => (), TurnEvent;
            }
            host {
                /// Asks for a folder with the system's dialog.
                pick_folder: () => Option<String>;
                /// Asks where to, and writes an export there; gives the path.
                export_to_file: ExportConversation => Option<String>;
                /// Asks for a file and imports it.
                import_from_file: () => Option<ConversationItem>;
                /// Opens an address outside, after the person saw it and agreed; http, https and mailto only.
                open_link: OpenLink => ();
                /// Opens the data folder in the system's file manager.
                open_data_folder: () => ();
                /// A notification of the system, when the window is in the background.
                notify: Notify => ();
            }
        }
    };
}
