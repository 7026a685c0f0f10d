//! A compiled pack on disk as a [`ByteSource`], so that only the required byte ranges are read.

use fizzle_runtime::ir::artifact::{ArtifactError, ByteSource};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// An open compiled pack.
#[derive(Debug)]
pub struct PackFile {
    file: File,
    size: u64,
}

impl PackFile {
    /// An opened file of a size in bytes.
    pub fn new(file: File, size: u64) -> Self {
        Self { file, size }
    }
}

impl ByteSource for PackFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, from: u64, count: usize) -> Result<Cow<'_, [u8]>, ArtifactError> {
        let mut bytes = Vec::with_capacity(count);
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(count as u64).read_to_end(&mut bytes));
        match read {
            Ok(read) if read == count => Ok(Cow::Owned(bytes)),
            Ok(_) => Err(ArtifactError::Length),
            Err(error) => Err(ArtifactError::Payload(error.to_string())),
        }
    }
}
