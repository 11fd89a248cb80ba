/**
 * A studio for tests: media from a table instead of the network, requests checked by the models
 * themselves, and a task carried from submission to its end the way an engine does.
 */
import assert from "node:assert/strict"
import {
  MODELS,
  SafelightError,
  type Channel,
  type ChannelRequest,
  type Json,
  type Log,
  type LogFields,
  type MediaSource,
  type PollOutcome,
  type PollRequest,
  type SubmitOutcome,
  type ChannelOutput,
  type OpenedOutput,
} from "@safelight/core"
import { createStudioChannel, type StudioOptions } from "@safelight/channel-studio"
import { createSampleInputs } from "@safelight/testkit"

export const TEXT_TO_IMAGE = "vendor-a/v4.1/flash/text-to-image"
export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"

export interface TestMedia extends MediaSource {
  /** Files by URL; an error rejects the opening. */
  readonly files: Map<string, Uint8Array | Error>
  readonly opened: string[]
}

export function createTestMedia(): TestMedia {
  const files = new Map<string, Uint8Array | Error>()
  const opened: string[] = []
  return {
    files,
    opened,
    async open({ url, kinds, maxBytes }) {
      opened.push(url)
      const file = files.get(url)
      if (file instanceof Error) throw file
      if (file === undefined || file.byteLength > maxBytes) {
        const code = file === undefined ? "media_download_failed" : "media_too_large"
        throw new SafelightError({ code, message: "the test has no such file" })
      }
      const kind = kinds[0] ?? "image"
      return { kind, mimeType: `${kind}/test`, body: toBody(file) }
    },
  }
}

async function* toBody(file: Uint8Array): AsyncGenerator<Uint8Array> {
  const middle = Math.floor(file.byteLength / 2)
  yield file.subarray(0, middle)
  yield file.subarray(middle)
}

export interface TestLog extends Log {
  readonly entries: readonly { readonly message: string; readonly fields: LogFields }[]
}

export function createTestLog(): TestLog {
  const entries: { message: string; fields: LogFields }[] = []
  const write = (fields: LogFields, message: string): void => void entries.push({ message, fields })
  return { entries, info: write, warn: write, error: write }
}

export interface TestStudio {
  readonly channel: Channel
  readonly media: TestMedia
}

/** Obeys directives unless told not to. Closed by `after` of the test it is made for. */
export function createTestStudio(
  context: { after(hook: () => Promise<void>): void },
  options: Partial<StudioOptions> = {},
): TestStudio {
  const media = createTestMedia()
  const channel = createStudioChannel({ media, workers: 1, sandbox: true, ...options })
  context.after(async () => channel.close?.())
  return { channel, media }
}

let keys = 0

export function toRequest(
  model: string,
  parameters: Record<string, unknown>,
  given: Partial<ChannelRequest> = {},
): ChannelRequest {
  const check = MODELS.find(({ id }) => id === model)?.check(parameters)
  assert.ok(check?.kind === "valid", JSON.stringify(check))
  keys += 1
  const upstreamKey = `task-${keys}.1`
  const { signal } = new AbortController()
  return {
    task: `task-${keys}`,
    account: "account",
    model,
    inputs: createSampleInputs(),
    parameters: check.parameters,
    upstreamKey,
    signal,
    ...given,
  }
}

export function toPoll(request: ChannelRequest, progress = 0, operation?: Json): PollRequest {
  return { ...request, operation: operation ?? { key: request.upstreamKey }, progress }
}

export type End = Exclude<PollOutcome, { kind: "running" }>

/** Polls until the end; `seen` gets each progress on the way. */
export async function follow(
  channel: Channel,
  request: ChannelRequest,
  seen: number[] = [],
): Promise<End> {
  for (;;) {
    const outcome = await channel.poll(toPoll(request, seen.at(-1) ?? 0))
    if (outcome.kind !== "running") return outcome
    seen.push(outcome.progress ?? 0)
  }
}

/** Submits and follows a request to its end. */
export async function carryOut(
  channel: Channel,
  model: string,
  parameters: Record<string, unknown>,
): Promise<End> {
  const request = toRequest(model, parameters)
  const submitted = await channel.submit(request)
  assert.ok(submitted.kind !== "busy" && submitted.kind !== "pending")
  return submitted.kind === "accepted" ? follow(channel, request) : submitted
}

/** The outputs' bytes; fails the test where there are none. */
export async function collect(outcome: End | SubmitOutcome): Promise<readonly Buffer[]> {
  assert.equal(outcome.kind, "completed", JSON.stringify(outcome))
  assert.ok(outcome.kind === "completed")
  return Promise.all(
    outcome.outputs.map(async (each) => Buffer.concat(await toArray(openBytes(each)))),
  )
}

/** The studio has the bytes of its outputs itself. */
export function toOpened(output: ChannelOutput | undefined): OpenedOutput {
  assert.ok(output !== undefined && "open" in output)
  return output
}

export function openBytes(output: ChannelOutput | undefined): AsyncIterable<Uint8Array> {
  return toOpened(output).open(new AbortController().signal)
}

async function toArray(body: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

export async function render(
  channel: Channel,
  model: string,
  parameters: Record<string, unknown>,
): Promise<readonly Buffer[]> {
  return collect(await carryOut(channel, model, parameters))
}
