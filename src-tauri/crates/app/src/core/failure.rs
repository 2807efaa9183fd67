//! From the errors of the ports to the failures of the contract: exhaustive, so that a new error asks for its code.

use siltstone_contract::{Code, Failure};
use siltstone_engine::attachment::AttachError;
use siltstone_engine::checkpoint::SealError;
use siltstone_engine::checkpoint::remote::RemoteError;
use siltstone_engine::client::ClientError;
use siltstone_engine::export::ImportError;
use siltstone_engine::ports::{FolderError, SecretError, StoreError};
use siltstone_engine::provider::ProviderError;
use siltstone_engine::tool::mcp::McpError;
use siltstone_engine::turn::TurnFault;
use siltstone_engine::update::UpdateError;

/// Turns a port's error into a failure.
pub(crate) trait Outcome<T> {
    /// The value, or the failure for the host.
    fn or_failure(self) -> Result<T, Failure>;
}

impl<T> Outcome<T> for Result<T, StoreError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(of_store)
    }
}

impl<T> Outcome<T> for Result<T, FolderError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                FolderError::NotAFolder { .. } => Code::NotAFolder,
                FolderError::Outside { .. } | FolderError::Excluded { .. } => Code::OutsideProject,
                FolderError::NotText { .. } => Code::NotText,
                FolderError::Cancelled => Code::Cancelled,
                FolderError::TooLarge { .. } | FolderError::Io { .. } => Code::Io,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, ProviderError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(code_of(&error), error.to_string()))
    }
}

fn code_of(error: &ProviderError) -> Code {
    match error {
        ProviderError::Unreachable { .. } => Code::ProviderUnreachable,
        ProviderError::NotLocal { .. } => Code::ProviderNotLocal,
        ProviderError::Insecure { .. } => Code::ProviderInsecure,
        ProviderError::Proxy { .. } => Code::ProxyUnusable,
        ProviderError::Certificates { .. } => Code::CertificatesUnusable,
        ProviderError::NotRecorded { .. } => Code::NotRecorded,
        ProviderError::TimedOut { .. } => Code::ProviderTimedOut,
        ProviderError::Cut { .. } => Code::ReplyCut,
        ProviderError::RateLimited { .. } => Code::RateLimited,
        ProviderError::Unauthorised { .. } => Code::KeyRefused,
        ProviderError::NoCredit { .. } => Code::NoCredit,
        ProviderError::ModelNotFound { .. } => Code::ModelNotFound,
        ProviderError::ContextOverflow { .. } => Code::ContextOverflow,
        ProviderError::NoTools { .. } => Code::NoTools,
        ProviderError::Server { .. } | ProviderError::Agent { .. } => Code::ProviderTrouble,
        ProviderError::Refused { .. } => Code::ProviderRefused,
        ProviderError::Withheld => Code::ReplyWithheld,
        ProviderError::Malformed { .. } => Code::ProviderMalformed,
    }
}

impl<T> Outcome<T> for Result<T, SecretError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                SecretError::Locked => Code::KeyringLocked,
                SecretError::Absent { .. } => Code::KeyringAbsent,
                SecretError::TimedOut { .. } => Code::KeyringTimedOut,
                SecretError::Refused { .. } => Code::KeyringRefused,
                SecretError::VaultLocked => Code::VaultLocked,
                SecretError::WrongPassphrase => Code::VaultWrongPassphrase,
                SecretError::Io { .. } => Code::Io,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, AttachError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                AttachError::Unsupported { .. } => Code::AttachmentUnsupported,
                AttachError::TooLarge { .. } => Code::AttachmentTooLarge,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, ImportError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                ImportError::Broken { .. } => Code::ImportBroken,
                _ => Code::ImportUnreadable,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, RemoteError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                RemoteError::Unusable { .. } | RemoteError::NotFound { .. } => Code::RemoteUnusable,
                RemoteError::NotLocal { .. } => Code::NoCloud,
                RemoteError::Insecure { .. } => Code::ProviderInsecure,
                RemoteError::Unreachable { .. } => Code::RemoteUnreachable,
                RemoteError::Refused { .. } => Code::RemoteRefused,
                RemoteError::NotRecorded { .. } => Code::NotRecorded,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, McpError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                McpError::Unreachable { .. } => Code::McpUnreachable,
                McpError::TimedOut { .. } => Code::McpTimedOut,
                McpError::Broken { .. } => Code::McpBroken,
                McpError::Forbidden { .. } => Code::McpForbidden,
                McpError::NoNetwork { .. } => Code::McpNoNetwork,
                McpError::Changed { .. } => Code::McpChanged,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, ClientError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                ClientError::NoProject { .. } | ClientError::Homeless { .. } => Code::NotFound,
                ClientError::Otherwise { .. } | ClientError::Changed { .. } => Code::Conflict,
                ClientError::Form { .. } => Code::BadRequest,
                ClientError::Io { .. } => Code::Io,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, UpdateError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                UpdateError::Unnamed | UpdateError::Misnamed { .. } | UpdateError::ByHand => {
                    Code::UpdateAbsent
                }
                // What the settings or the disk say no to is said as for any request.
                UpdateError::Gate(
                    gate @ (ProviderError::NotLocal { .. }
                    | ProviderError::Insecure { .. }
                    | ProviderError::Proxy { .. }
                    | ProviderError::Certificates { .. }
                    | ProviderError::NotRecorded { .. }),
                ) => code_of(gate),
                UpdateError::Gate(_) | UpdateError::Status { .. } => Code::UpdateUnreachable,
                UpdateError::Redirected { .. } => Code::UpdateRedirected,
                UpdateError::Unusable { .. } => Code::UpdateUnusable,
                UpdateError::Unsigned { .. } => Code::UpdateUnsigned,
                UpdateError::Replayed { .. } => Code::UpdateReplayed,
                UpdateError::Cut { .. } => Code::UpdateCut,
                UpdateError::Full { .. } => Code::DiskFull,
                UpdateError::Busy => Code::Busy,
                UpdateError::NotInstalled { .. } => Code::UpdateNotInstalled,
                UpdateError::Io { .. } => Code::Io,
            };
            Failure::new(code, error.to_string())
        })
    }
}

impl<T> Outcome<T> for Result<T, SealError> {
    fn or_failure(self) -> Result<T, Failure> {
        self.map_err(|error| {
            let code = match &error {
                SealError::WrongPassphrase => Code::WrongPassphrase,
                SealError::Refused | SealError::Unknown { .. } => Code::CheckpointUnreadable,
                SealError::NoRandom { .. } => Code::Io,
            };
            Failure::new(code, error.to_string())
        })
    }
}

pub(crate) fn of_store(error: StoreError) -> Failure {
    let code = match &error {
        StoreError::NotFound { .. } => Code::NotFound,
        StoreError::Conflict { .. } => Code::Conflict,
        StoreError::Replaced { .. } => Code::FolderReplaced,
        StoreError::Locked => Code::CheckpointsLocked,
        StoreError::Full => Code::DiskFull,
        StoreError::ReadOnly { .. } => Code::ReadOnly,
        StoreError::Busy => Code::Busy,
        StoreError::Damaged { .. } => Code::Damaged,
        StoreError::Newer { .. } => Code::NewerData,
        StoreError::Io { .. } => Code::Io,
    };
    Failure::new(code, error.to_string())
}

/// Why a summary was not made.
pub(crate) fn of_fault(fault: TurnFault) -> Failure {
    let named = Code::ALL.iter().find(|code| code.name() == fault.code);
    Failure::new(named.copied().unwrap_or(Code::ProviderMalformed), fault.message)
}

pub(crate) fn conflict(message: &str) -> Failure {
    Failure::new(Code::Conflict, message)
}

pub(crate) fn bad_request(message: &str) -> Failure {
    Failure::new(Code::BadRequest, message)
}

pub(crate) fn fault_of_provider(error: &ProviderError) -> TurnFault {
    TurnFault { code: error.code().to_owned(), message: error.to_string() }
}

pub(crate) fn fault(code: Code, message: &str) -> TurnFault {
    TurnFault { code: code.name(), message: message.to_owned() }
}

pub(crate) fn fault_of(failure: &Failure) -> TurnFault {
    TurnFault { code: failure.code.name(), message: failure.message.clone() }
}
