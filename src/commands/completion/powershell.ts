/**
 * For PowerShell 5.1 and newer. The word under the cursor has = before it, because 5.1 drops empty arguments.
 * Without candidates PowerShell completes paths by itself.
 */
export const powershellScript = String.raw`# natter completion for PowerShell
Register-ArgumentCompleter -Native -CommandName natter -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text.Trim('"', "'") })
    natter __complete @words "=$wordToComplete" 2>$null | ForEach-Object {
        $value, $description = $_ -split [char]9, 2
        if ($value -ne ':files') {
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
`;
