/**
 * The part of `node:fs/promises` that this adapter calls, described by its shape so that a test can hand in
 * its own. Every call is asynchronous: a slow disk never stops the event loop.
 */
export interface FileSystem {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  mkdir(
    path: string,
    options: { readonly recursive?: boolean; readonly mode: number },
  ): Promise<string | undefined>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  rmdir(path: string): Promise<void>
  realpath(path: string): Promise<string>
  lstat(path: string): Promise<FileStatus>
  readdir(path: string, options: { readonly withFileTypes: true }): Promise<readonly FolderEntry[]>
}

export interface OpenFile {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  stat(): Promise<FileStatus>
  sync(): Promise<void>
  close(): Promise<void>
}

export interface FileStatus {
  readonly size: number
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  isFile(): boolean
}

export interface FolderEntry {
  readonly name: string
  isFile(): boolean
  isDirectory(): boolean
}
