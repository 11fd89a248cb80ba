/** The public face of the audit. Findings are data; `describeFinding` is for people only. */
export {
  archiveTasks,
  type ArchiveOptions,
  type ArchiveReport,
  type ArchiveSource,
} from "./archive-tasks.ts"
export { archiveTree, type TreeArchiveOptions, type TreeArchiveReport } from "./archive-tree.ts"
export type { BundleReaderOptions, HashTile } from "./bundle-reader.ts"
export { restoreSegment, type RestoreOptions } from "./restore-segment.ts"
export {
  createArchiveReader,
  type ArchiveReaderOptions,
  type SegmentReaderOptions,
} from "./segment-reader.ts"
export type { ArtifactSample } from "./artifact-sample.ts"
export {
  auditArtifacts,
  type ArtifactAuditOptions,
  type ArtifactAuditReport,
  type ArtifactFinding,
} from "./audit-artifacts.ts"
export {
  AUDIT_KINDS,
  createAudit,
  DEFAULTS,
  type Audit,
  type AuditKind,
  type AuditOptions,
} from "./audit.ts"
export { billAccount, type BillOptions, type BillReport } from "./bill-account.ts"
export { createFolderArtifacts, type FolderArtifactsOptions } from "./folder-artifacts.ts"
export {
  createArtifactJudge,
  type ArtifactCounts,
  type ArtifactDifference,
  type ArtifactJudge,
  type ArtifactReading,
  type ArtifactSource,
  type NamedArtifact,
} from "./judge-artifacts.ts"
export type { BroughtApiKey, BroughtKeys, BroughtLinkKey } from "./brought-keys.ts"
export {
  createDownloadCheck,
  type DownloadCheck,
  type DownloadCheckOptions,
  type DownloadReport,
} from "./check-downloads.ts"
export { checkExport, type CheckOptions, type ExportManifest } from "./check-export.ts"
export { readExport } from "./read-export.ts"
export { checkLog, type LogCheckOptions, type LogRecord } from "./check-log.ts"
export type { ExportTarget } from "./check-target.ts"
export { compareCopy, type DrillOptions } from "./compare-copy.ts"
export type { DrillFinding, DrillLoss, DrillReport } from "./drill-report.ts"
export type { Fate } from "./judge-purchase.ts"
export type { NextStep, PurchasingChannel, PurchasingChannels } from "./next-step.ts"
export type { LostPurchase, PurchaseReport, PurchaseSums } from "./purchase-sums.ts"
export type { ArtifactCopy, CopyFinding, CopyReport } from "./copy-artifacts.ts"
export {
  exportStreams,
  type ExportedLeaf,
  type ExportOptions,
  type ExportProgress,
  type ExportSelection,
  type SignedExport,
  type ExportSource,
} from "./export-streams.ts"
export type { ExportRecord } from "./export-format.ts"
export {
  describeFinding,
  isObstacle,
  type Difference,
  type Fact,
  type Finding,
  type Obstacle,
} from "./finding.ts"
export { foldUntil, type FoldUntilOptions, type PastPage, type PastReport } from "./fold-until.ts"
export {
  importStreams,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
} from "./import-streams.ts"
export { toMonth, type MonthlyBill } from "./monthly-bills.ts"
export type { BilledCharge } from "./prove-charge.ts"
export {
  rebuildRows,
  type RebuildOptions,
  type RebuildProgress,
  type RebuildReport,
} from "./rebuild-rows.ts"
export { createStatements, type StatementsOptions } from "./statements.ts"
export type { AuditOutcome, AuditProgress, AuditReport } from "./report.ts"
export type { EventName, ToldCharge, ToldTask } from "./tell-task.ts"
export { verifyTask } from "./verify-events.ts"
