/** The exports of the filesystem adapter: one factory, its options, and the file system calls that it makes. */
export {
  createFilesystemArtifacts,
  type FilesystemArtifacts,
  type FilesystemArtifactsOptions,
} from "./filesystem-artifacts.ts"
export { DEFAULTS } from "./defaults.ts"
export type { FileSystem, FileStatus, FolderEntry, OpenFile } from "./file-system.ts"
export type { PutStep } from "./write-file.ts"
