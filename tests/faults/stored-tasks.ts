/** Every task of a storage, as it stands or with everything that is kept of it. */
import { fromSnapshot, type ScannedStream, type Storage, type Task } from "@safelight/core"

export async function* readStreams(storage: Storage): AsyncGenerator<ScannedStream> {
  for (let after: string | null = ""; after !== null;) {
    const page: Awaited<ReturnType<Storage["scan"]>> = await storage.scan({ after, limit: 200 })
    yield* page.streams
    after = page.next
  }
}

export async function listTasks(storage: Storage): Promise<Task[]> {
  const tasks: Task[] = []
  for await (const { row } of readStreams(storage)) {
    if (row !== undefined) tasks.push(fromSnapshot(row.snapshot))
  }
  return tasks
}
