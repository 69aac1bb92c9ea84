//! Names that programs in other languages compare.

use sandshell::{ErrorKind, FailureReason, LimitKind, ProviderMetadata};

/// The name of an error's kind.
pub fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "not_found",
        ErrorKind::SandboxEnded => "sandbox_ended",
        ErrorKind::InvalidRequest => "invalid_request",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Unauthenticated => "unauthenticated",
        ErrorKind::PermissionDenied => "permission_denied",
        ErrorKind::Conflict => "conflict",
        ErrorKind::QuotaExceeded => "quota_exceeded",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::DeadlineExceeded => "deadline_exceeded",
        _ => "unexpected",
    }
}

/// The name of the reason why a file operation is not possible.
pub fn failure_name(reason: &FailureReason) -> &'static str {
    match reason {
        FailureReason::FileNotFound => "file_not_found",
        FailureReason::PermissionDenied => "permission_denied",
        FailureReason::InvalidPath => "invalid_path",
        FailureReason::IsDirectory => "is_directory",
        FailureReason::NotADirectory => "not_a_directory",
        FailureReason::NotARegularFile => "not_a_file",
        FailureReason::AlreadyExists => "already_exists",
        FailureReason::BinaryTooLarge { .. } => "binary_too_large",
        FailureReason::OffsetBeyondEnd { .. } => "offset_beyond_end",
        FailureReason::EmptyOldText => "empty_old_text",
        FailureReason::NotText => "not_text",
        FailureReason::TextNotFound { .. } => "text_not_found",
        FailureReason::TextNotUnique { .. } => "text_not_unique",
        FailureReason::InvalidPattern => "invalid_pattern",
        FailureReason::PatternTooBroad => "pattern_too_broad",
        _ => "other",
    }
}

/// The name of a limit's kind.
pub fn limit_name(kind: LimitKind) -> &'static str {
    use LimitKind as K;
    match kind {
        K::WallTime => "wall_time",
        K::CpuTime => "cpu_time",
        K::Memory => "memory",
        K::Processes => "processes",
        K::OpenFiles => "open_files",
        K::Output => "output",
        K::Disk => "disk",
        _ => "other",
    }
}

/// The names of a provider's capabilities.
pub fn capability_names(metadata: &ProviderMetadata) -> Vec<&'static str> {
    metadata.capabilities.flags().filter_map(|(name, has)| has.then_some(name)).collect()
}
