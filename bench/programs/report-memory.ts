// Loaded before a program whose memory is measured.
import { writeSync } from 'node:fs';

process.once('exit', () => void writeSync(3, String(process.resourceUsage().maxRSS)));
