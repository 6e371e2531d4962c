import path from 'node:path';
import type { ClientOptions } from '../client/client.ts';
import { readRecording } from '../recording/format.ts';
import { createRecorder, openRecordingFile } from '../recording/recorder.ts';
import { createReplay, createReplayClock, useExchanges } from '../recording/replay.ts';
import type { Run } from '../run.ts';
import { maskText, textFilter } from '../secrets/secrets.ts';
import { appendFile } from '../storage/append-file.ts';
import { refuseReservedName } from '../storage/file-name.ts';
import { failureReason } from '../storage/storage-failure.ts';
import type { RecordingChoice } from './recording-choice.ts';
import { unreadLines } from '../storage/read-lines.ts';

/** Opens a recording that the exchanges of a client are appended to. @throws Failure */
export async function openRecorder(
  { context, presentation: { notices } }: Run,
  file: string,
): Promise<Partial<ClientOptions>> {
  const { clock, process, secrets, version, signal } = context;
  refuseReservedName(file, context.platform);
  const options = { clock, process, signal, storage: appendFile, program: `natter/${version}` };
  const recordingFile = await openRecordingFile(path.resolve(file), options);
  // Reminds people of a recording set by a variable; programs that read standard error do not get it.
  if (context.streams.stderr.isTerminal) notices.notice(`recording into ${file}`);
  const onFailure = (error: unknown) => {
    notices.warning(`${file} is no longer recorded: ${failureReason(error)}`);
  };
  const filter = () => textFilter(secrets);
  return { transport: createRecorder(recordingFile, clock, filter, onFailure) };
}

/** Opens a recording to replay. @throws Failure `configuration` for a file that is not a recording */
export function openReplay(
  { context, presentation: { notices } }: Run,
  { file, speed, used: shared }: NonNullable<RecordingChoice['replay']>,
): Partial<ClientOptions> {
  const { secrets, process } = context;
  const recording = readRecording(file);
  if (recording.unreadable.length > 0) notices.warning(unreadLines(file, recording.unreadable));
  if (context.streams.stderr.isTerminal) notices.notice(`replayed from ${file}`);
  const clock = createReplayClock(context.clock, speed);
  const used = useExchanges(shared && path.resolve(shared), { clock: context.clock, process });
  const replay = createReplay(recording, used, clock, (text) => maskText(secrets, text));
  // At maximum speed, a timer ends as soon as the replay is idle, so time limits would end requests.
  const limits = speed === Number.POSITIVE_INFINITY ? { idleTimeout: 0, totalTimeout: 0 } : {};
  return { ...limits, clock, transport: () => replay };
}
