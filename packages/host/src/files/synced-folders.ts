/** Names that outlive a loss of power: that of a new file or folder does once the folder that holds it is synced. */
import { existsSync } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import process from "node:process"

/** Resolves once every name in the folder is durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder, and writes its entries through.
  if (process.platform === "win32") return
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Makes a folder for its owner alone, and those above it, each durable in its parent. By hand: Node's recursive
 * `mkdir` never returns if a parent exists but nothing can be made in it, as below /proc.
 */
export async function makeSyncedFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeSyncedFolder(dirname(folder))
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (cause) {
    // Another process may have been quicker.
    if (!existsSync(folder)) throw cause
  }
  await syncFolder(dirname(folder))
}
