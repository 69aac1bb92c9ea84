//! A test suite of the behaviours that every implementation must have. Anyone can run it.
//!
//! ```no_run
//! # async fn example(sandbox: &dyn sandshell_providers::Sandbox) {
//! use sandshell_providers::conformance::{self, Options};
//!
//! let report = conformance::run(sandbox, &Options::default()).await;
//! assert!(report.passed(), "{report}");
//! # }
//! ```
//!
//! Each behaviour is one function, which runs in a directory of its own below [`Options::root`]. Behaviours that
//! need a capability are skipped if the sandbox does not declare it, and the report says so; declared capabilities
//! must work.
//!
//! NB: the suite creates, changes and deletes files below [`Options::root`], and
//! [`run_provider`] creates and deletes sandboxes.

#[macro_use]
mod check;
mod compare;
mod delete;
mod edit;
mod execute;
mod glob;
mod grep;
mod ls;
mod provider;
mod read;
mod report;
mod session;
mod transfer;
mod workflow;
mod write;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub use check::{CaseResult, Context, Failure};
pub use report::{CaseReport, Outcome, Report};

use crate::{Capabilities, Sandbox, SandboxProvider};

/// How to run the suite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// An absolute directory that the suite may create and fill. The default is `/tmp/sandshell-conformance`.
    pub root: String,
    /// Runs only cases whose name contains this.
    pub only: Option<String>,
    /// The time limit for one case. The default is two minutes.
    pub case_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root: "/tmp/sandshell-conformance".to_owned(),
            only: None,
            case_timeout: Duration::from_secs(120),
        }
    }
}

/// One behaviour.
pub(crate) struct Case {
    name: &'static str,
    /// The capability it needs, and whether a sandbox has it.
    needs: Option<Need>,
    run: for<'a> fn(&'a Context<'a>) -> Pin<Box<dyn Future<Output = CaseResult> + Send + 'a>>,
}

type Need = (&'static str, fn(&Capabilities) -> bool);

macro_rules! cases {
    ($($module:ident { $($case:ident $(if $capability:ident)?),* $(,)? })*) => {
        &[$($(Case {
            name: concat!(stringify!($module), "::", stringify!($case)),
            needs: cases!(@needs $($capability)?),
            run: |context| Box::pin($module::$case(context)),
        }),*),*]
    };
    (@needs) => { None };
    (@needs $capability:ident) => {
        Some((stringify!($capability), |capabilities: &Capabilities| capabilities.$capability))
    };
}

const CASES: &[Case] = cases! {
    execute {
        id_is_not_empty,
        echo,
        exit_code_is_the_commands,
        several_lines,
        stderr_is_in_the_output,
        streams_are_kept_apart if separate_streams,
        missing_command_is_127,
        killed_by_a_signal_is_128_and_its_number,
        variables_within_a_command,
        nothing_carries_over,
        compound_commands,
        quoting_is_the_shells,
        output_bytes_are_exact,
        invalid_utf8_is_kept,
        half_a_mebibyte_is_not_truncated,
        output_limit_is_marked if max_output,
        timeout_is_124 if timeout,
        timeout_keeps_partial_output if partial_output,
        sandbox_lives_on_after_a_timeout if timeout,
        stdin_is_read if stdin,
        no_stdin_is_end_of_file,
        working_directory if cwd,
        environment if env,
        environment_values_are_literal if env,
        background_process_does_not_delay_the_answer if background_processes,
        background_process_outlives_its_command if background_processes,
        streaming_delivers_everything,
        streaming_delivers_early if streaming,
        commands_run_at_the_same_time if concurrent_execute,
        five_large_outputs_at_once if concurrent_execute,
        dev_null_exists,
        script_file,
    }
    session {
        state_is_kept if sessions,
        streams_and_bytes_are_exact if sessions,
        sessions_are_apart if sessions,
        one_command_runs_at_a_time if sessions,
        errors_give_up_the_command_alone if sessions,
        input_is_for_one_command if sessions,
        jobs_go_on_and_their_output_is_kept if sessions,
        timeout_interrupts_the_command_alone if sessions,
        a_shell_that_ended_is_started_anew if sessions,
        closing_ends_all_that_it_started if sessions,
        impossible_requests_are_refused if sessions,
        a_terminal_has_keys_a_size_and_a_screen if sessions,
    }
    transfer {
        upload_one,
        download_one,
        download_what_a_command_wrote,
        empty_batches,
        upload_keeps_order,
        download_keeps_order,
        every_byte_value,
        empty_file,
        ten_mebibytes,
        upload_creates_parents,
        upload_overwrites,
        upload_keeps_the_mode,
        upload_follows_links,
        odd_names,
        download_missing,
        download_directory,
        download_through_a_file,
        download_unreadable if enforces_permissions,
        upload_unwritable if enforces_permissions,
        upload_onto_a_directory,
        upload_through_a_file,
        relative_paths_are_invalid,
        nul_is_invalid,
        one_failure_does_not_stop_a_batch,
    }
    write {
        new_file,
        creates_parents,
        overwrites,
        create_new_refuses,
        special_characters,
        empty,
        spaces_in_the_path,
        unicode,
        repeated_slashes,
        a_thousand_lines,
        only_newlines,
        ten_mebibytes_of_text,
        onto_a_directory,
        not_allowed if enforces_permissions,
        relative_path,
        injection,
    }
    read {
        whole_file,
        missing,
        directory,
        device_does_not_hang,
        empty,
        offset,
        limit,
        offset_and_limit,
        zero_limit,
        beyond_the_end,
        unicode,
        long_lines,
        in_pages,
        page_size_is_capped,
        crlf_becomes_lf,
        binary_by_extension,
        binary_by_content,
        binary_of_100_kib,
        binary_too_large,
        not_allowed if enforces_permissions,
        through_a_link,
        relative_path,
        injection,
    }
    edit {
        one_occurrence,
        several_occurrences_are_refused,
        replace_all,
        text_not_found,
        missing_file,
        directory,
        empty_old_text,
        special_characters,
        several_lines,
        deletion,
        equal_texts,
        unicode,
        whitespace,
        long_texts,
        line_ends_are_kept,
        within_a_line,
        not_text,
        not_allowed if enforces_permissions,
        mode_is_kept,
    }
    ls {
        files_and_directories,
        absolute_paths_without_slash,
        sizes_and_times,
        empty_directory,
        missing_directory,
        file,
        hidden_files,
        links,
        spaces,
        unicode,
        newlines_and_shell_characters,
        large_directory,
        trailing_slash,
        root_directory,
        not_allowed if enforces_permissions,
        injection,
    }
    grep {
        across_files,
        filter_by_name,
        filter_by_path,
        no_matches,
        several_in_one_file,
        literal_not_regex,
        special_characters,
        unicode,
        case_matters,
        empty_directory,
        nested_directories,
        line_numbers,
        one_file,
        missing_path,
        max_count,
        git_is_skipped,
        hidden_files,
        binary_files_are_skipped,
        odd_names,
        links_are_not_followed,
        leading_dash,
        newline_separates_alternatives,
        injection,
    }
    glob {
        basename_at_any_depth,
        recursive,
        anchored,
        no_matches,
        directories_on_request,
        hidden_files,
        character_class,
        question_mark,
        braces,
        deeply_nested,
        odd_names,
        links,
        parent_segments_are_refused,
        too_many_alternatives,
        missing_directory,
        file_as_root,
        unreadable_directory_is_told if enforces_permissions,
    }
    delete {
        file,
        directory,
        link_not_target,
        dangling_link,
        missing,
        odd_names,
        root_is_refused,
        not_allowed if enforces_permissions,
    }
    workflow {
        write_read_edit_read,
        files_from_every_side,
        directory_tree,
        large_text_with_escapes,
        concurrent_file_operations,
        top_level_directories,
    }
};

/// Runs every case on a sandbox, one after the other.
pub async fn run(sandbox: &dyn Sandbox, options: &Options) -> Report {
    let capabilities = sandbox.capabilities();
    let mut report = Report::default();
    for case in CASES.iter().filter(|case| options.selects(case.name)) {
        let outcome = match case.needs {
            Some((capability, has)) if !has(&capabilities) => Outcome::Skipped(format!("needs {capability}")),
            _ => run_case(sandbox, options, case).await,
        };
        report.push(case.name, outcome);
    }
    report
}

/// Runs every case on a provider, which must be able to create sandboxes.
pub async fn run_provider(provider: &dyn SandboxProvider, options: &Options) -> Report {
    provider::run(provider, options).await
}

/// Runs the same file operations in two sandboxes with the same filesystem and compares the answers. One has its
/// own operations; the other is a [`PosixFileOperations`](crate::PosixFileOperations) around it.
pub async fn compare(one: &dyn Sandbox, other: &dyn Sandbox, options: &Options) -> Report {
    compare::run(one, other, options).await
}

async fn run_case(sandbox: &dyn Sandbox, options: &Options, case: &Case) -> Outcome {
    let context = Context::new(sandbox, format!("{}/{}", options.root, case.name.replace("::", "-")));
    if let Err(failure) = context.prepare().await {
        return Outcome::Failed(format!("while preparing: {failure}"));
    }
    let outcome = match tokio::time::timeout(options.case_timeout, (case.run)(&context)).await {
        Ok(Ok(())) => Outcome::Passed,
        Ok(Err(failure)) => Outcome::Failed(failure.to_string()),
        Err(_) => Outcome::Failed(format!("took longer than {:?}", options.case_timeout)),
    };
    context.clean_up().await;
    outcome
}

impl Options {
    fn selects(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| name.contains(only))
    }
}
