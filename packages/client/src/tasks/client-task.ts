/** A task as the service showed it last, with its artifacts at hand. It does not change by itself. */
import type { Artifact, Task } from "../api/answers.ts"
import { isArtifactList } from "../api/check-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import { createTaskArtifact, type TaskArtifact } from "../artifacts/task-artifact.ts"
import type { Connection } from "../connection/connection.ts"
import type { CallOptions } from "./list-tasks.ts"

export interface ClientTask extends Task {
  /** Of a finished task: `image_1`, `image_2`, … or `video`. Asks nothing by itself. */
  artifact(key: string): TaskArtifact
  /** What there is, expired ones too; none of a failed task. */
  artifacts(options?: CallOptions): Promise<readonly Artifact[]>
}

export function toClientTask(connection: Connection, task: Task): ClientTask {
  const { task_id: id } = task
  return {
    ...task,
    artifact: (key) => createTaskArtifact(connection, id, key),
    artifacts: (options) => listArtifacts(connection, id, options),
  }
}

export async function listArtifacts(
  connection: Connection,
  id: string,
  { signal }: CallOptions = {},
): Promise<readonly Artifact[]> {
  const path = `${toTaskPath(id)}/artifacts`
  return (await connection.read(path, isArtifactList, { signal })).artifacts
}
