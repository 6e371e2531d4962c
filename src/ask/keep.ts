// The setting keep: once a day, old conversations are deleted for good, from the day after natter said so.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findOld, removeForGood } from '../conversation/library/library.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, parseJson, type JsonObject } from '../json.ts';
import { countOf } from '../output/figures.ts';
import type { Run } from '../run.ts';
import { resolveFolders } from '../settings/folders.ts';
import { parseAge } from '../settings/value-types.ts';
import { replaceFile } from '../storage/state-file.ts';
import { localDay } from '../usage/days.ts';

/** The last day on which natter applied each age. */
function readDays(file: string): JsonObject {
  try {
    const days = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(days) ? days : {};
  } catch {
    // It is missing at first.
    return {};
  }
}

/**
 * Applies the setting `keep` for the first conversation of a day. Without a state folder, nothing is deleted: natter
 * would not know what it said.
 * @param openId the conversation that this run continues, which stays
 */
export function applyKeep(
  { context, presentation, settings }: Run,
  openId: string | undefined,
): void {
  const { keep } = settings.values;
  const kept = parseAge(keep);
  if (kept === undefined) return;
  const { notices } = presentation;
  const { data, state } = resolveFolders(context);
  if (data === undefined || state === undefined) return;
  const now = context.clock.date();
  const today = localDay(now);
  const file = path.join(state, 'keep.json');
  const days = readDays(file);
  const { [keep]: last } = days;
  // The clock may have been set back.
  if (typeof last === 'string' && last >= today) return;
  try {
    replaceFile(file, `${JSON.stringify({ ...days, [keep]: today })}\n`, context.process.id);
    const before = new Date(now.getTime() - kept);
    const old = findOld(data, before, context).filter(({ id }) => id !== openId);
    if (typeof last !== 'string') {
      const number = countOf(old.length, 'conversation');
      const off = '‹natter config set keep forever› turns this off';
      notices.warning(
        `keep is ${keep}: from tomorrow on, natter deletes older conversations for good, ${number} at present; ${off}`,
      );
      return;
    }
    const deleted = old.filter((entry) => removeForGood(data, entry, context)).length;
    if (deleted === 0) return;
    notices.notice(
      `deleted ${countOf(deleted, 'conversation')} older than ${keep} for good (keep)`,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`old conversations were not deleted: ${error.message}`);
  }
}
