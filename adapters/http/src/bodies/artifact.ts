/** Artifacts, their lists and the private links to them. */
import { ARTIFACT_KINDS } from "@safelight/core"
import * as v from "valibot"
import { toTaskPath } from "../pipeline/addresses.ts"
import { defineBody, described } from "./body.ts"
import { EXAMPLE_ID, taskId, whole } from "./shapes.ts"

const EXAMPLE = {
  key: "image_1",
  type: "image",
  mime_type: "image/png",
  content_url: `https://media.example${toTaskPath(EXAMPLE_ID)}/artifacts/image_1/content`,
  expires_at: 1_768_435_209,
} as const

const artifact = defineBody("Artifact", EXAMPLE, {
  key: described(
    v.string(),
    "`image_1`, `image_2`, … in order; of any other type its name, and further ones `video_2`, ….",
  ),
  type: v.picklist(ARTIFACT_KINDS),
  mime_type: v.string(),
  content_url: described(
    v.pipe(v.string(), v.url()),
    "Where the bytes are, for who has the API key. With `access` in it, for whoever has the " +
      "address, for a day: keep it private.",
  ),
  expires_at: v.optional(
    described(
      whole,
      "Unix time in seconds, from which on the bytes are gone for good; some are listed without.",
    ),
  ),
})

export const artifactList = defineBody(
  "ArtifactList",
  { task_id: EXAMPLE_ID, artifacts: [EXAMPLE] },
  {
    task_id: taskId,
    artifacts: described(
      v.array(artifact),
      "In order, expired ones too; empty where the task failed.",
    ),
  },
)

const ARTIFACT_LINK_EXAMPLE = {
  url: `${EXAMPLE.content_url}?access=v1.4fTq09Zx.1767312009.0.${"c2FtcGxl".repeat(5)}AAA`,
  expires_at: 1_767_312_009,
} as const

export const artifactLink = defineBody("ArtifactLink", ARTIFACT_LINK_EXAMPLE, {
  url: described(
    v.pipe(v.string(), v.url()),
    "Opens the artifact for whoever has it, without a key: keep it private.",
  ),
  expires_at: described(whole, "Unix time in seconds, from which on it opens nothing."),
})

const LINKED_EXAMPLE = {
  key: EXAMPLE.key,
  type: EXAMPLE.type,
  mime_type: EXAMPLE.mime_type,
  ...ARTIFACT_LINK_EXAMPLE,
} as const

const linkedArtifact = defineBody("LinkedArtifact", LINKED_EXAMPLE, {
  key: artifact.entries.key,
  type: artifact.entries.type,
  mime_type: artifact.entries.mime_type,
  ...artifactLink.entries,
})

export const artifactLinkList = defineBody(
  "ArtifactLinkList",
  { task_id: EXAMPLE_ID, links: [LINKED_EXAMPLE] },
  {
    task_id: taskId,
    links: described(v.array(linkedArtifact), "In the order of the artifacts."),
  },
)
