export default function cliTruncate(text: string, columns: number): string;
