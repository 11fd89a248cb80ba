/**
 * Tasks as this release projects them. Two releases may serve one database, and each writes rows of its own
 * projection: a task whose row the other one wrote is folded from its events, which both can read. So no row is
 * misread, and a task that one release changed continues in the other.
 */
import {
  fold,
  openEvent,
  PROJECTION,
  SafelightError,
  type Log,
  type StreamHead,
  type Task,
  type TaskStorage,
} from "@safelight/core"

/** The methods that hand out tasks. */
type Reads = Pick<TaskStorage, "findOverdue" | "findRetained" | "listTasks" | "readTask" | "take">

/** The storage with every task in this release's projection; its other methods are its own. */
export function withOwnHeads(storage: TaskStorage, log: Log): TaskStorage {
  async function foldAnew(id: string): Promise<StreamHead> {
    const events = await storage.readEvents(id)
    const newest = events.at(-1)
    if (newest === undefined) throw corrupt(id, "it has no events")
    return { task: foldEvents(id, events), hash: newest.hash }
  }

  async function toOwn<Head extends StreamHead>(head: Head): Promise<Head> {
    return isOwn(head.task) ? head : { ...head, ...(await foldAnew(head.task.id)) }
  }

  /** Without those that can't be folded: one damaged log must not stop the queue for the others. */
  async function toReadable<Head extends StreamHead>(heads: readonly Head[]): Promise<Head[]> {
    if (heads.every(({ task }) => isOwn(task))) return [...heads]
    const own = heads.map(async (head) => {
      try {
        return [await toOwn(head)]
      } catch (error) {
        log.error({ task: head.task.id, error }, "task unreadable")
        return []
      }
    })
    return (await Promise.all(own)).flat()
  }

  const reads: Reads = {
    async readTask(id) {
      const head = await storage.readTask(id)
      return head && toOwn(head)
    },
    async listTasks(request) {
      const page = await storage.listTasks(request)
      if (page.tasks.every(isOwn)) return page
      const tasks = page.tasks.map(async (task) =>
        isOwn(task) ? task : (await foldAnew(task.id)).task,
      )
      return { ...page, tasks: await Promise.all(tasks) }
    },
    take: async (request) => toReadable(await storage.take(request)),
    findOverdue: async (request) => toReadable(await storage.findOverdue(request)),
    findRetained: async (request) => toReadable(await storage.findRetained(request)),
  }
  return withMethods(storage, reads)
}

/** A host's storage may be an instance of a class, whose methods are found on it alone. */
function withMethods<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name)
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

function isOwn({ projection }: Task): boolean {
  return projection === PROJECTION
}

function foldEvents(id: string, events: Awaited<ReturnType<TaskStorage["readEvents"]>>): Task {
  const opened = events.map(openEvent)
  try {
    return fold(id, opened)
  } catch (error) {
    if (error instanceof RangeError) throw corrupt(id, error.message, error)
    throw error
  }
}

function corrupt(id: string, why: string, cause?: unknown): SafelightError {
  const message = `task ${id} can't be projected anew: ${why}`
  return new SafelightError({ code: "storage-corrupt", message, cause })
}
