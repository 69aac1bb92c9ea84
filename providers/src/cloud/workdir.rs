//! Working directories for services that cannot set one for a sandbox.

use crate::posix::quote;
use crate::{Error, ExecuteRequest, Result, Sandbox};

/// Makes the directory in which the commands of a new sandbox are to run.
pub(crate) async fn make_workdir(sandbox: &dyn Sandbox, workdir: &str) -> Result<()> {
    if !workdir.starts_with('/') || workdir.contains('\0') {
        return Err(Error::invalid_request(format!(
            "the working directory {workdir:?} is not an absolute path"
        )));
    }
    let request = ExecuteRequest::new(format!("mkdir -p -- {}", quote(workdir))).cwd("/");
    let answer = sandbox.execute(request).await?;
    if answer.success() {
        return Ok(());
    }
    let why = answer.text().trim().to_owned();
    Err(Error::invalid_request(format!("the working directory {workdir} cannot be made: {why}")))
}
