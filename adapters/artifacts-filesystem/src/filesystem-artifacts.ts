/**
 * Artifacts as files below one folder: `shard/task/key/random`, and `.incoming` for files that are not whole
 * yet. The folder must be on one file system, since an artifact appears by a rename. Several processes may
 * share it.
 */
import * as nodeFiles from "node:fs/promises"
import { resolve } from "node:path"
import { createArtifactStorage, type ArtifactDriver } from "@safelight/artifacts"
import { SafelightError, takeIntegers, type ArtifactStorage } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import type { FileSystem } from "./file-system.ts"
import { checkIncoming, listIncoming, storeFolder } from "./incoming.ts"
import { listFiles } from "./list-files.ts"
import { openFile } from "./open-file.ts"
import { removeFile } from "./remove-file.ts"
import { createRootFolder, FOLDER_NAME } from "./root-folder.ts"
import { toErrorName } from "./system-error.ts"
import { createFileWriter, PIECE_BYTES, type PutStep, type WriterHost } from "./write-file.ts"

/** A sweep removes incoming files and folders that were not written to for `staleAfterMs`. */
export type FilesystemArtifacts = Required<ArtifactStorage>

export interface FilesystemArtifactsOptions {
  /** Made at the first use if it does not exist; relative to the current working directory. */
  readonly folder: string
  /** How long an incoming file may go without a write before a sweep removes it. */
  readonly staleAfterMs?: number
  /** Awaited after each step of a put: a test may pause, throw or kill there. */
  readonly onStep?: (step: PutStep) => void | Promise<void>
  /** `node:fs/promises` by default. */
  readonly files?: FileSystem
}

const BOUNDS = { staleAfterMs: [0, Number.MAX_SAFE_INTEGER] } as const

/** Throws `invalid-configuration`; touches no file before the first call. */
export function createFilesystemArtifacts(
  options: FilesystemArtifactsOptions,
): FilesystemArtifacts {
  const { folder, onStep = passStep, files = nodeFiles } = options
  if (folder === "" || folder.includes("\0")) {
    const message = "folder must be a path"
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const settings = takeIntegers({ options, bounds: BOUNDS, defaults: DEFAULTS })
  const rootFolder = createRootFolder(files, resolve(folder))
  const driver = createFolderDriver({ rootFolder, durableShards: new Set(), onStep })
  return createArtifactStorage(driver, settings)
}

function createFolderDriver(host: WriterHost): ArtifactDriver {
  const { rootFolder } = host
  return {
    name: FOLDER_NAME,
    pieceBytes: PIECE_BYTES,
    begin: (key) => createFileWriter(host, key),
    open: (range) => openFile(rootFolder, range),
    remove: (key) => removeFile(rootFolder, key),
    list: (prefix) => listFiles(rootFolder, prefix),
    storeIfAbsent: (key, bytes) => storeFolder(rootFolder, key, bytes),
    unfinished: () => listIncoming(rootFolder),
    check: () => checkIncoming(rootFolder),
    describeFailure: toErrorName,
  }
}

function passStep(): void {}
