/**
 * Makes the names in a folder durable. A caller that asks while a sync of the folder is under way can't rely
 * on that one, which may have begun before the name was there: all such callers share the next one.
 */
import { constants } from "node:fs"
import type { FileSystem } from "./file-system.ts"

export type FolderSync = (folder: string) => Promise<void>

interface Turn {
  running: Promise<void>
  next?: Promise<void>
}

export function createFolderSync(files: FileSystem): FolderSync {
  const turns = new Map<string, Turn>()

  function start(folder: string): Promise<void> {
    const turn: Turn = { running: Promise.resolve() }
    turns.set(folder, turn)
    turn.running = syncFolder(files, folder).finally(() => {
      if (turns.get(folder) === turn) turns.delete(folder)
    })
    return turn.running
  }

  return function sync(folder) {
    const turn = turns.get(folder)
    if (turn === undefined) return start(folder)
    const startNext = (): Promise<void> => start(folder)
    turn.next ??= turn.running.then(startNext, startNext)
    return turn.next
  }
}

async function syncFolder(files: FileSystem, folder: string): Promise<void> {
  const handle = await files.open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
