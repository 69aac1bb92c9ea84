//! Names of users and groups by their numbers.

use sandshell_posix::users;

pub(crate) fn user_name(uid: u32) -> Vec<u8> {
    users::user_numbered(uid).map_or_else(|| uid.to_string().into_bytes(), |u| u.name)
}

pub(crate) fn group_name(gid: u32) -> Vec<u8> {
    users::groups()
        .into_iter()
        .find(|g| g.gid == gid)
        .map_or_else(|| gid.to_string().into_bytes(), |g| g.name)
}
