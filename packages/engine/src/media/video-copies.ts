/**
 * The copies of a caller's own videos that were measured. A provider is sent to the copy, by a link of this
 * service, and a channel that opens the video opens the copy: what is at the caller's address by then may be
 * another video. Without a public address there is no such link, and the address stays the caller's. Copies
 * are removed when their task ends here, and when it is erased; one that stays is an orphan for retention.
 */
import { isTerminal, type ParameterValues } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { readMeasured, type MeasuredVideo, type VideoCopy } from "../record/measured-input.ts"
import type { WorkRequest } from "../work/request.ts"
import type { Work } from "../work/work.ts"
import { discardStored } from "./inspect-stored.ts"
import { createTaskInputs, findInputs } from "./task-inputs.ts"

/** As measured here, or by the process that bought it; undefined if nothing was, or it was erased since. */
export async function findMeasured(
  { storage }: Pick<Context, "storage">,
  work: Work,
): Promise<readonly MeasuredVideo[] | undefined> {
  work.measured ??= await readMeasured(storage, work.id)
  return work.measured
}

/** The request with its copies in place of what is at the caller's addresses; the same each time. */
export async function withCopies(
  context: Context,
  work: Work,
  request: WorkRequest,
): Promise<WorkRequest> {
  const asked = findInputs(context, work, request.parameters)
  const videos = asked.filter(({ kind }) => kind === "video")
  if (videos.length === 0) return request
  const measured = (await findMeasured(context, work)) ?? []
  const copies = new Map<string, VideoCopy>()
  const links = new Map<string, string>()
  for (const [index, { url }] of videos.entries()) {
    const copy = measured[index]?.copy
    if (!copy || links.has(url)) continue
    const position = asked.findIndex((each) => each.kind === "video" && each.url === url)
    const { endBy: expiresAt, id: task } = work.head.task
    // oxlint-disable-next-line no-await-in-loop -- it reads a key that is known after the first
    const link = (await context.inputLinks.link({ task, position, expiresAt })) ?? url
    links.set(url, link)
    copies.set(link, copy)
  }
  const params = new Set(videos.map(({ param }) => param))
  const parameters = putLinks(request.parameters, params, links)
  return { ...request, parameters, inputs: createTaskInputs(context, work, parameters, copies) }
}

function putLinks(
  parameters: ParameterValues,
  params: ReadonlySet<string>,
  links: ReadonlyMap<string, string>,
): ParameterValues {
  const put = (value: unknown): unknown =>
    typeof value === "string" ? (links.get(value) ?? value) : value
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]: [string, unknown]) => {
      if (!params.has(name)) return [name, value]
      return [name, Array.isArray(value) ? value.map(put) : put(value)]
    }),
  )
}

/** Once the work on a task has ended it, nobody fetches a copy any more. */
export async function discardEnded(context: Context, { head, id, measured }: Work): Promise<void> {
  if (isTerminal(head.task) && measured !== undefined) await discardCopies(context, id, measured)
}

type Ports = Pick<Context, "artifacts" | "deadlines" | "log">

/** Never rejects where the storage fails: what can't be removed now is an orphan that retention removes. */
export async function discardCopies(
  ports: Ports,
  task: string,
  videos: readonly MeasuredVideo[],
): Promise<void> {
  const locators = new Set(videos.flatMap(({ copy }) => (copy === null ? [] : [copy.locator])))
  await Promise.all([...locators].map((locator) => discardStored(ports, task, locator)))
}

/** Erases a task's inputs, the copies too; resolves to whether there was anything to erase. */
export async function eraseInputs(
  { storage, ...ports }: Ports & Pick<Context, "storage">,
  task: string,
): Promise<boolean> {
  const measured = await readMeasured(storage, task)
  const isErased = await storage.eraseInputs(task)
  await discardCopies(ports, task, measured ?? [])
  return isErased
}
