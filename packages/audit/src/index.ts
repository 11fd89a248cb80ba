/** The public face of the audit. Findings are data; `describeFinding` is for people only. */
export { createAudit, DEFAULTS, type Audit, type AuditOptions } from "./audit.ts"
export { describeFinding } from "./describe-finding.ts"
export { isObstacle, type Difference, type Fact, type Finding, type Obstacle } from "./finding.ts"
export type { AuditOutcome, AuditProgress, AuditReport } from "./report.ts"
