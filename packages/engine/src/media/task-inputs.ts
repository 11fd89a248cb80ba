/**
 * The media that a task's parameters refer to, as its channel gets them. What is opened comes through
 * the guarded fetch, whichever channel asks for it, so that no caller's address leads into the
 * network of this machine.
 */
import {
  isDataUrl,
  listMediaInputs,
  SafelightError,
  type Media,
  type MediaInput,
  type MediaKind,
  type ParameterValues,
  type TaskInputs,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import type { VideoCopy } from "../record/measured-input.ts"
import type { Work } from "../work/work.ts"
import { readStored } from "./inspect-stored.ts"

const MIB = 1024 * 1024

/** The largest picture that anybody takes; two minutes of video at 13 Mbit/s. */
export const MOST_INPUT_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 20 * MIB,
  video: 200 * MIB,
  audio: 200 * MIB,
}

/** All that the parameters refer to; nothing of a model that is not known here. */
export function findInputs(
  { taskModels }: Pick<Ports, "taskModels">,
  work: Work,
  parameters: ParameterValues,
): readonly MediaInput[] {
  const model = taskModels.of(work.head.task)
  return model === undefined ? [] : listMediaInputs(model, parameters)
}

/** `copies` are those of videos by what `parameters` call them, opened in their place. */
export function createTaskInputs(
  ports: Pick<Ports, "artifacts" | "inputLinks" | "media" | "taskModels">,
  work: Work,
  parameters: ParameterValues,
  copies: ReadonlyMap<string, VideoCopy> = new Map(),
): TaskInputs {
  function requireInput(url: string): { readonly input: MediaInput; readonly position: number } {
    const inputs = findInputs(ports, work, parameters)
    const position = inputs.findIndex((each) => each.url === url)
    const input = inputs[position]
    if (input !== undefined) return { input, position }
    throw new TypeError("the task's parameters refer to nothing by this URL")
  }

  return {
    async link(url) {
      const { position } = requireInput(url)
      if (!isDataUrl(url)) return url
      const { endBy: expiresAt, id: task } = work.head.task
      return ports.inputLinks.link({ task, position, expiresAt })
    },
    async open({ url, maxBytes = Infinity, signal }) {
      const { kind } = requireInput(url).input
      // It was measured as a video, also if a picture's parameter names it too.
      const copy = copies.get(url)
      if (copy !== undefined) return openCopy(ports, copy, maxBytes)
      if (ports.media === undefined) throw new TypeError("no input can be opened without media")
      const mostBytes = Math.min(maxBytes, MOST_INPUT_BYTES[kind])
      return ports.media.open({ url, kinds: [kind], maxBytes: mostBytes, signal })
    },
  }
}

function openCopy(
  { artifacts }: Pick<Ports, "artifacts">,
  { bytes, locator, mimeType }: VideoCopy,
  mostBytes: number,
): Media {
  if (bytes <= mostBytes) {
    return { kind: "video", mimeType, bytes, body: readStored(() => artifacts.open({ locator })) }
  }
  const message = "a video that a task refers to is larger than what takes it"
  throw new SafelightError({ code: "media_too_large", message })
}
