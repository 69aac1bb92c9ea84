//! Users and groups, from `/etc/passwd` and `/etc/group`.

use sandshell_sys as sys;
use std::cell::OnceCell;

/// A line of `/etc/passwd`.
#[derive(Clone, Debug)]
pub struct User {
    /// Login name.
    pub name: Vec<u8>,
    /// User ID.
    pub uid: u32,
    /// Group ID of the primary group.
    pub gid: u32,
}

/// A line of `/etc/group`.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name.
    pub name: Vec<u8>,
    /// Group ID.
    pub gid: u32,
    /// Names of the members.
    pub members: Vec<Vec<u8>>,
}

/// All users.
pub fn users() -> Vec<User> {
    lines(b"/etc/passwd")
        .iter()
        .filter_map(|l| {
            let f: Vec<&[u8]> = l.split(|b| *b == b':').collect();
            Some(User { name: f.first()?.to_vec(), uid: number(f.get(2)?)?, gid: number(f.get(3)?)? })
        })
        .collect()
}

/// All groups.
pub fn groups() -> Vec<Group> {
    lines(b"/etc/group")
        .iter()
        .filter_map(|l| {
            let f: Vec<&[u8]> = l.split(|b| *b == b':').collect();
            Some(Group {
                name: f.first()?.to_vec(),
                gid: number(f.get(2)?)?,
                members: f
                    .get(3)
                    .map(|m| m.split(|b| *b == b',').filter(|n| !n.is_empty()).map(<[u8]>::to_vec).collect())
                    .unwrap_or_default(),
            })
        })
        .collect()
}

/// Parses text that must be a decimal number.
pub fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The users and groups. They are read once and cached.
#[derive(Default)]
pub struct Names {
    users: OnceCell<Vec<User>>,
    groups: OnceCell<Vec<Group>>,
}

impl Names {
    /// The user's name.
    pub fn user(&self, uid: u32) -> Option<&[u8]> {
        self.users().iter().find(|u| u.uid == uid).map(|u| u.name.as_slice())
    }

    /// The group's name.
    pub fn group(&self, gid: u32) -> Option<&[u8]> {
        self.groups().iter().find(|g| g.gid == gid).map(|g| g.name.as_slice())
    }

    /// The ID of the user with this name.
    pub fn uid(&self, name: &[u8]) -> Option<u32> {
        self.users().iter().find(|u| u.name == name).map(|u| u.uid)
    }

    /// The ID of the group with this name.
    pub fn gid(&self, name: &[u8]) -> Option<u32> {
        self.groups().iter().find(|g| g.name == name).map(|g| g.gid)
    }

    fn users(&self) -> &[User] {
        self.users.get_or_init(users)
    }

    fn groups(&self) -> &[Group] {
        self.groups.get_or_init(groups)
    }
}

/// The user's name, or the ID if there is none.
pub fn user_name(uid: u32) -> Vec<u8> {
    Names::default().user(uid).map_or_else(|| uid.to_string().into_bytes(), <[u8]>::to_vec)
}

/// The group's name, or the ID if there is none.
pub fn group_name(gid: u32) -> Vec<u8> {
    Names::default().group(gid).map_or_else(|| gid.to_string().into_bytes(), <[u8]>::to_vec)
}

/// The user with this name.
pub fn user_named(name: &[u8]) -> Option<User> {
    users().into_iter().find(|u| u.name == name)
}

/// The user with this ID.
pub fn user_numbered(uid: u32) -> Option<User> {
    users().into_iter().find(|u| u.uid == uid)
}

/// The group with this name.
pub fn group_named(name: &[u8]) -> Option<Group> {
    groups().into_iter().find(|g| g.name == name)
}

/// An owner and group as in the argument of `chown`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// New user.
    pub uid: Option<u32>,
    /// New group.
    pub gid: Option<u32>,
    /// How they were written.
    pub text: Vec<u8>,
    /// Whether a dot was used instead of the colon.
    pub dotted: bool,
}

/// Parses `OWNER[:[GROUP]]`. The error is `user`, `group` or `spec`, for the message `invalid …`.
pub fn parse_owner(text: &[u8]) -> Result<Owner, &'static str> {
    let colon = text.iter().position(|b| *b == b':');
    match parse_with(text, colon) {
        Err(_) if colon.is_none() && text.contains(&b'.') => {
            match parse_with(text, text.iter().position(|b| *b == b'.')) {
                Ok(owner) => Ok(Owner { dotted: true, ..owner }),
                Err(_) => Err("user"),
            }
        }
        other => other,
    }
}

fn parse_with(text: &[u8], separator: Option<usize>) -> Result<Owner, &'static str> {
    let (user, group) = match separator {
        Some(i) => (&text[..i], Some(&text[i + 1..])),
        None => (text, None),
    };
    let mut owner = Owner::default();
    if !user.is_empty() {
        let plus = user.strip_prefix(b"+");
        match user_named(user).filter(|_| plus.is_none()) {
            Some(u) => {
                owner.uid = Some(u.uid);
                if group == Some(b"") {
                    owner.gid = Some(u.gid);
                    let group = Names::default().group(u.gid).map(<[u8]>::to_vec);
                    owner.text = [user, b":", group.unwrap_or_default().as_slice()].concat();
                }
            }
            None => {
                if group == Some(b"") {
                    // For a number, `NUMBER:` cannot stand for a login group.
                    return Err("spec");
                }
                owner.uid = Some(number(plus.unwrap_or(user)).ok_or("user")?);
            }
        }
    }
    if let Some(g) = group.filter(|g| !g.is_empty()) {
        owner.gid = Some(parse_group(g).ok_or("group")?);
    }
    if owner.text.is_empty() {
        let number = |t: &[u8]| t.strip_prefix(b"+").unwrap_or(t).iter().all(u8::is_ascii_digit);
        let bare = |t: &[u8]| t.strip_prefix(b"+").unwrap_or(t).to_vec();
        owner.text = match (user, group) {
            // As GNU's `chown` shows it: beside a group's name, a numeric owner is left out.
            (u, Some(g)) if !u.is_empty() && !g.is_empty() && number(u) && number(g) => {
                [&bare(u), &b":"[..], &bare(g)].concat()
            }
            (u, Some(g)) if !u.is_empty() && !g.is_empty() && number(u) => [b":", g].concat(),
            (u, None) if !u.is_empty() && number(u) => bare(u),
            // A numeric group alone is shown without the colon.
            (b"", Some(g)) if !g.is_empty() && number(g) => bare(g),
            (b"", Some(g)) if !g.is_empty() => [b":", g].concat(),
            (u, Some(g)) if !u.is_empty() && !g.is_empty() => [u, b":", g].concat(),
            (u, _) if !u.is_empty() => u.to_vec(),
            (_, g) => g.unwrap_or_default().to_vec(),
        };
    }
    Ok(owner)
}

/// Parses a group's name or ID.
pub fn parse_group(text: &[u8]) -> Option<u32> {
    let plus = text.strip_prefix(b"+");
    match group_named(text).filter(|_| plus.is_none()) {
        Some(g) => Some(g.gid),
        None => number(plus.unwrap_or(text)),
    }
}

fn lines(path: &[u8]) -> Vec<Vec<u8>> {
    let text = sys::read_file(path).unwrap_or_default();
    text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect()
}
