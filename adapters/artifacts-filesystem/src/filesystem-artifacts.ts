/**
 * Artifacts as files below one folder: `shard/task/key/random`, and `.incoming` for files that are not whole
 * yet. The folder must be on one file system, since an artifact appears by a rename. Several processes may
 * share it.
 */
import * as nodeFiles from "node:fs/promises"
import { resolve } from "node:path"
import { SafelightError, takeIntegers, type ArtifactStorage } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import type { FileSystem } from "./file-system.ts"
import { checkIncoming, sweepIncomingFiles } from "./incoming.ts"
import { listAllArtifacts, listArtifacts } from "./list-artifacts.ts"
import { markFolder } from "./mark.ts"
import { openArtifact } from "./open-artifact.ts"
import { removeArtifact } from "./remove-artifact.ts"
import { createRootFolder } from "./root-folder.ts"
import { putArtifact, restoreArtifact, type PutStep, type StoreHost } from "./store-artifact.ts"

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
  const { staleAfterMs } = takeIntegers({ options, bounds: BOUNDS, defaults: DEFAULTS })
  const rootFolder = createRootFolder(files, resolve(folder))
  const host: StoreHost = { rootFolder, durableShards: new Set(), onStep }

  return {
    put: (request) => putArtifact(host, request),
    open: (request) => openArtifact(rootFolder, request),
    restore: (request) => restoreArtifact(host, request),
    remove: (locator) => removeArtifact(rootFolder, locator),
    list: (task) => listArtifacts(rootFolder, task),
    listAll: () => listAllArtifacts(rootFolder),
    mark: (proposed) => markFolder(rootFolder, proposed),
    check: () => checkIncoming(rootFolder),
    sweepIncoming: (now) => sweepIncomingFiles(rootFolder, now - staleAfterMs),
  }
}

function passStep(): void {}
