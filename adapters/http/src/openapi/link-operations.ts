/**
 * Private links to an artifact: making one, and revoking all of them. Both take their parameters in
 * the query, and neither a body.
 */
import { LINK_SECONDS } from "@safelight/core"
import { LINK_SCOPES } from "../resources/artifact-links.ts"
import { ARTIFACT_KEY, TASK_ID } from "./content-operations.ts"
import { toJsonAnswer, toOperation, type Operation, type Parameter } from "./operation.ts"
import { toHeaders } from "./response-headers.ts"

const EXPIRES_IN: Parameter = {
  name: "expires_in",
  in: "query",
  required: false,
  description: "Seconds until the link ends; it never outlives the artifact.",
  schema: {
    type: "integer",
    minimum: LINK_SECONDS.min,
    maximum: LINK_SECONDS.max,
    default: LINK_SECONDS.byDefault,
  },
}

export function linkOperations(): { post: Operation; delete: Operation } {
  const tag = "Artifacts"
  return {
    post: toOperation({
      tag,
      scopes: LINK_SCOPES,
      id: "createArtifactLink",
      summary: "A private link to an artifact",
      description:
        "Whoever has the link can read the artifact's bytes without a key until it ends: hand it " +
        "to a player or a page, and log it nowhere. The parameter stands in the query; a body is " +
        "refused as `unknown_parameter`.",
      parameters: [TASK_ID, ARTIFACT_KEY, EXPIRES_IN],
      answers: { "201": toJsonAnswer("The link. It can't be shown again.", "ArtifactLink") },
      refusals: [
        "task_not_found",
        "artifact_not_found",
        "task_not_finished",
        "artifact_expired",
        "unknown_parameter",
        "invalid_type",
        "integer_above_max_value",
        "integer_below_min_value",
      ],
    }),
    delete: toOperation({
      tag,
      scopes: ["links:write"],
      id: "revokeArtifactLinks",
      summary: "Revoke every private link to an artifact",
      description: "It takes no parameters: links are not stored, so none can be revoked alone.",
      parameters: [TASK_ID, ARTIFACT_KEY],
      answers: {
        "204": {
          description: "Every link that was made until now opens nothing any more.",
          headers: toHeaders({ always: ["X-Request-Id", "Cache-Control"] }),
        },
      },
      refusals: ["task_not_found", "artifact_not_found", "task_not_finished", "unknown_parameter"],
    }),
  }
}
