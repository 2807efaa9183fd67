//! Errors at the boundary: a stable code, the technical message, and what to do. The UI owns the words.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident, $hint:literal;)*) => {
        /// Every error a host can be answered with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes, for checks that each has its words.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as it is written in JSON.
            pub fn name(self) -> String {
                match serde_json::to_value(self) {
                    Ok(serde_json::Value::String(name)) => name,
                    _ => String::from("internal"),
                }
            }

            /// What the person can do, in English; the window has its own words in both languages.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)* }
            }
        }
    };
}

codes! {
    /// The request itself is wrong.
    BadRequest, "Check the values and try again.";
    /// No such thing.
    NotFound, "See what there is; a deleted conversation may be in the trash.";
    /// Not possible in this state.
    Conflict, "Nothing was changed; try again once this is no longer so.";
    /// The disk is full.
    DiskFull, "Free some space; nothing was lost and your text is still here.";
    /// The data folder cannot be written.
    ReadOnly, "Check the permissions of the data folder.";
    /// Another process holds the database.
    Busy, "Try again in a moment.";
    /// The database cannot be read.
    Damaged, "The file was left as it is; salvage what can be read of it, or restore a backup.";
    /// The database was written by a newer version.
    NewerData, "Install the newer version again; nothing was changed.";
    /// The system said no in another way.
    Io, "Look at the message; nothing was changed.";
    /// Not a folder.
    NotAFolder, "Choose a folder that exists.";
    /// The path is not readable in this project.
    OutsideProject, "Only files inside the opened folder can be read.";
    /// The file may not be written, or not so.
    FileReadOnly, "Check the file's permissions; your text is still here.";
    /// The folder holds too much for checkpoints.
    FolderTooWide, "Open a folder inside it; your home and the root of a disk are not captured.";
    /// Another folder has the place of the project's.
    FolderReplaced, "Open it again, and say whether it is trusted: silt project open PATH --trust.";
    /// Not a text file.
    NotText, "Open it with another program.";
    /// The person cancelled.
    Cancelled, "Start again when you like.";
    /// The folder has not been answered for.
    TrustUnanswered, "Say whether the folder is trusted (--trust).";
    /// The text is in no known format.
    ImportUnreadable, "Import the zip or the conversations.json of an export of ChatGPT or Claude, Siltstone's Markdown or JSON, or JSONL with one message a line.";
    /// The file is damaged or cut off.
    ImportBroken, "Download it again, or let the service send it again.";
    /// What was given to be read has no end, or one that is too far.
    InputTooLong, "Give less: of a pipe or a device at most 64 MiB are read.";
    /// Neither a picture nor a PDF file.
    AttachmentUnsupported, "Attach a PNG, JPEG, GIF or WebP picture, or a PDF file.";
    /// A picture or file that is too large, or too many of them.
    AttachmentTooLarge, "Attach less; one file may have 20 MiB.";
    /// The bytes of a picture or file are gone.
    AttachmentMissing, "Edit the message and attach the file again; nothing else was lost.";
    /// Nobody listens at the provider's address.
    ProviderUnreachable, "Start the server, or check its address.";
    /// The provider is not on this computer, and only this computer may be asked.
    ProviderNotLocal, "Use an address of this computer, or allow others in the settings.";
    /// The provider is elsewhere and its address is not encrypted.
    ProviderInsecure, "Use an address that starts with https://; plain http is for this computer.";
    /// The proxy of the settings cannot be used.
    ProxyUnusable, "Use an address such as http://proxy.example:3128, without a user name or password.";
    /// The certificates of the settings cannot be used.
    CertificatesUnusable, "Choose a PEM file with at least one certificate.";
    /// What was to leave could not be written down.
    NotRecorded, "Nothing was sent; make room in the data folder and try again.";
    /// The provider said nothing for too long.
    ProviderTimedOut, "Try again; a local model may still be loading.";
    /// The stream ended before the reply did.
    ReplyCut, "What came is kept; continue from there.";
    /// The reply has as many tokens as it may have.
    ReplyFull, "What came is kept; continue from there, or allow a longer reply.";
    /// The provider withheld the reply, or the rest of it.
    ReplyWithheld, "What came is kept; put the question in other words, or ask another model.";
    /// The model ended without a word.
    ReplyEmpty, "Ask again, or ask another model.";
    /// The model was asked as often as it may be in one turn.
    LimitRounds, "What it did is kept; continue, or raise the limit in the settings under tools.";
    /// A turn has as many tokens as it may have.
    LimitTokens, "What it did is kept; continue, or raise the limit in the settings under tools.";
    /// A turn took as long as it may take.
    LimitTime, "What it did is kept; continue, or raise the limit in the settings under tools.";
    /// Too many requests.
    RateLimited, "Wait a little and try again.";
    /// The key was refused.
    KeyRefused, "Enter the key again; it may have been revoked or belong to another server.";
    /// Nothing is left to spend.
    NoCredit, "Add credit to the provider's account, or choose another model.";
    /// The month's limit is reached and the next reply may cost something.
    LimitReached, "Let this month go on, raise the limit, or choose a model on this computer.";
    /// The provider needs a key and has none.
    KeyMissing, "Give the provider its key.";
    /// The system's keyring is closed.
    KeyringLocked, "Open the keyring, or keep the key for this session or in an encrypted file.";
    /// The system has no keyring.
    KeyringAbsent, "Keep the key for this session or in an encrypted file.";
    /// The system's keyring does not answer.
    KeyringTimedOut, "Try again, or keep the key for this session or in an encrypted file.";
    /// The system's keyring is open and refuses.
    KeyringRefused, "Keep the key for this session or in an encrypted file.";
    /// The encrypted file is closed.
    VaultLocked, "Open the encrypted file with its passphrase.";
    /// The passphrase does not open the encrypted file.
    VaultWrongPassphrase, "Try another passphrase; a forgotten one can only be discarded with its keys.";
    /// Checkpoints are sealed, and their key is not at hand.
    CheckpointsLocked, "Open the keyring or the encrypted file that keeps their key, or enter the recovery passphrase.";
    /// Nothing of a conversation can be summarised now.
    NothingToFold, "Go on; the newest exchanges always stay as they are.";
    /// The passphrase does not open what it should.
    WrongPassphrase, "Try another passphrase; nothing was changed.";
    /// A file holds no checkpoint that is whole and known.
    CheckpointUnreadable, "Nothing was taken over; write the file again where it came from.";
    /// A copy of a session is not what was copied.
    CopyDamaged, "Nothing was changed; go back to another copy.";
    /// A file is locked and no passphrase came with it.
    PassphraseNeeded, "Enter the passphrase of the file.";
    /// The settings let no checkpoint leave this computer.
    NoCloud, "Nothing left. Allow it in the settings under privacy, or use a folder.";
    /// What was entered names no place for checkpoints.
    RemoteUnusable, "Check the address, the bucket and the credentials of the remote.";
    /// The remote does not answer.
    RemoteUnreachable, "Check the connection; what went over stays, and the rest goes the next time.";
    /// The remote refuses the credentials, or what is asked.
    RemoteRefused, "Check the credentials of the remote and what they allow.";
    /// This computer has no key of the remote.
    RemoteKeyMissing, "Open the place that keeps it, or add the remote again with its passphrase.";
    /// A server of tools cannot be started or reached.
    McpUnreachable, "Check its command or address, and read what it says; a program may have to be installed first.";
    /// A server of tools does not answer.
    McpTimedOut, "Try again; a program that is started for the first time may still be downloading, which it can where it was given the network.";
    /// A server of tools broke off, or speaks another protocol.
    McpBroken, "Read what it says, and look for a newer version; nothing else is affected.";
    /// A server of tools may not be asked.
    McpForbidden, "Use an address of this computer, or one that starts with https:// and is allowed in the settings; a program runs where the system can keep it from the network.";
    /// A server of tools wanted the network, which it was not given.
    McpNoNetwork, "Allow it the network in the settings of the server, or with \"silt mcp add --network\"; with \"This computer only\" no program has one.";
    /// A server of tools is made of other files than were agreed to.
    McpChanged, "Look at what changed, and trust it again if you know why.";
    /// No model is connected that could be asked for this.
    ModelNeeded, "Connect a model, or choose one for this work in the settings under tools.";
    /// What a model answered is of no use.
    AnswerUnusable, "Try again, or choose another model for this work in the settings under tools.";
    /// The model is unknown.
    ModelNotFound, "Choose another model.";
    /// A summary came out no shorter than what it stands for.
    NotShorter, "Nothing was changed; try a lower rate or another model.";
    /// What a summary stands for does not fit into the model's window.
    UnfoldTooLarge, "Choose a model with a larger window, or read the messages in the conversation.";
    /// The request is too long for the model.
    ContextOverflow, "Shorten the message or choose a model with a larger window.";
    /// The model takes no tools.
    NoTools, "Choose a model that calls tools, or switch tools off.";
    /// The provider has trouble of its own.
    ProviderTrouble, "Try again later.";
    /// The provider refused the request.
    ProviderRefused, "Read the provider's words; another model may accept it.";
    /// The provider's answer is unreadable.
    ProviderMalformed, "Check that the address is the API's base URL.";
    /// This copy names nobody who signs newer versions, or nothing can be put in its place.
    UpdateAbsent, "Get a newer version where this copy came from.";
    /// Whoever tells of newer versions, or has them, does not answer as it should.
    UpdateUnreachable, "Check the connection and try again later; the installed version stays.";
    /// An answer leads to another address.
    UpdateRedirected, "Tell those who made this copy; the installed version stays.";
    /// What was offered is of no use.
    UpdateUnusable, "Tell those who made this copy; the installed version stays.";
    /// A signature does not fit.
    UpdateUnsigned, "Install nothing of it, and tell those who made this copy; the installed version stays.";
    /// A signature is of another version or file than was offered.
    UpdateReplayed, "Install nothing of it, and tell those who made this copy; the installed version stays.";
    /// A download ended before it was whole.
    UpdateCut, "Download it again; the installed version stays.";
    /// The system did not install a package.
    UpdateNotInstalled, "Look at the message; the package is kept, and the installed version stays.";
    /// A bug: something failed that never should.
    Internal, "Your data is safe; restart and tell us what you did.";
}

/// An error as a host sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Failure {
    /// What to switch on.
    pub code: Code,
    /// The technical message, without secrets.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// By how much something is too large, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub excess: Option<Excess>,
}

/// By how much something does not fit into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Excess {
    /// Tokens too many.
    pub over: u64,
    /// Most tokens a request may have.
    pub budget: u64,
}

impl Failure {
    /// A failure with its standard hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: code.hint().to_owned(), excess: None }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
