//! `server.log`, the log of the embedded PostgreSQL server. The log is kept across starts and rotated. After a crash of the server, the log
//! contains the reason.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::Account;

/// Size in bytes at which the server log is rotated.
const MAX_FILE_BYTES: u64 = 10 << 20;
/// Number of rotated log files. `server.log.1` is the newest.
const MAX_ROTATED_FILES: u32 = 4;
/// Maximum number of bytes from the server log's end that the error of a failed start contains.
const MAX_TAIL_BYTES: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct ServerLog {
    path: PathBuf,
    account: Account,
}

impl ServerLog {
    pub(super) fn new(folder: &Path, account: Account) -> Self {
        Self { path: folder.join("server.log"), account }
    }

    /// Opens the server log for a server that is about to start. Returns the file, and the position in bytes at which the lines of this
    /// server will begin.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        if self.size() > MAX_FILE_BYTES {
            self.make_room()?;
            fs::rename(&self.path, self.older(1))?;
        }
        // The file is opened for appending. After the file is truncated, a running server therefore continues to write at the file's
        // beginning.
        let file = File::options().append(true).create(true).mode(0o600).open(&self.path)?;
        self.account.own(&self.path).map_err(io::Error::other)?;
        let begins = file.metadata()?.len();
        Ok((file, begins))
    }

    /// Rotates the log of a running server if the log is too large. The server keeps the log file open, so the content is copied and the
    /// file truncated; lines written between copying and truncating are lost.
    pub(super) fn rotate(&self) -> io::Result<()> {
        if self.size() <= MAX_FILE_BYTES {
            return Ok(());
        }
        self.make_room()?;
        let copy = self.older(1);
        fs::copy(&self.path, &copy)?;
        self.account.own(&copy).map_err(io::Error::other)?;
        File::options().write(true).open(&self.path)?.set_len(0)
    }

    /// Returns the last lines of the server log, but no bytes before the position `begins`.
    pub(super) fn tail(&self, begins: u64) -> String {
        let read = || {
            let mut file = File::open(&self.path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(begins.max(length.saturating_sub(MAX_TAIL_BYTES))))?;
            let mut text = Vec::new();
            file.take(MAX_TAIL_BYTES).read_to_end(&mut text)?;
            Ok::<_, io::Error>(String::from_utf8_lossy(&text).into_owned())
        };
        read().unwrap_or_default()
    }

    fn size(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    fn older(&self, number: u32) -> PathBuf {
        self.path.with_extension(format!("log.{number}"))
    }

    /// Increments the numbers of the rotated log files; the oldest file is overwritten.
    fn make_room(&self) -> io::Result<()> {
        for number in (1..MAX_ROTATED_FILES).rev() {
            match fs::rename(self.older(number), self.older(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn keeps_what_it_holds_and_no_more_than_five_files() {
        let folder = std::env::temp_dir().join(format!("cloch-log-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&folder).unwrap();
        let log = ServerLog::new(&folder, Account::Own);
        let (mut first, begins) = log.open().unwrap();
        assert_eq!(begins, 0);
        first.write_all(b"PANIC: the reason\n").unwrap();
        let (mut second, begins) = log.open().unwrap();
        assert_eq!(begins, 18);
        second.write_all(b"FATAL: another\n").unwrap();
        assert_eq!(log.tail(begins), "FATAL: another\n");

        let block = vec![b'x'; 1 << 20];
        for round in 0..8_u8 {
            second.write_all(&[b'0' + round]).unwrap();
            (0..11).for_each(|_| second.write_all(&block).unwrap());
            log.rotate().unwrap();
            assert_eq!(log.size(), 0);
        }
        second.write_all(b"after\n").unwrap();
        assert_eq!(log.tail(0), "after\n");
        let names = fs::read_dir(&folder).unwrap().count();
        assert_eq!(names, 5);
        let newest = fs::read(log.older(1)).unwrap();
        assert_eq!((newest.first(), newest.len()), (Some(&b'7'), (11 << 20) + 1));
        fs::remove_dir_all(folder).unwrap();
    }
}
