//! The table of docs/proof.md: one row a rig, replaced when the rig runs again.

use std::path::{Path, PathBuf};

use crate::{Options, Ran, Scale, Trouble, rigs};

const BEGIN: &str = "<!-- the table of make torture -->";
const END: &str = "<!-- the end of the table -->";
const HEAD: &str = "| goal | rig | tried | failures | seed | scale | seconds | date |\n|---|---|---|---|---|---|---|---|\n";

/// The file with the table.
pub fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proof.md")
}

/// The row of a rig that was run.
pub fn row(ran: &Ran, options: &Options) -> String {
    let tried: Vec<String> = ran
        .outcome
        .counts
        .iter()
        .map(|(what, many)| format!("{} {what}", grouped(*many)))
        .collect();
    let scale = match options.scale {
        Scale::Sample => "sample".to_owned(),
        Scale::Whole(times) => times.to_string(),
    };
    format!(
        "| {} | `{}` | {} | {} | {} | {scale} | {:.0} | {} |",
        ran.rig.goal,
        ran.rig.name,
        tried.join(", "),
        ran.outcome.failures.len(),
        options.seed,
        ran.took.as_secs_f64(),
        jiff::Timestamp::now().strftime("%F"),
    )
}

/// Puts these rows into a text in place of the older ones of the same rigs; the order is that of the list of rigs.
pub fn with_rows(text: &str, rows: &[String]) -> Result<String, Trouble> {
    let (before, rest) = text.split_once(BEGIN).ok_or("the table has no beginning")?;
    let (old, after) = rest.split_once(END).ok_or("the table has no end")?;
    let name_of = |row: &str| row.split('|').nth(2).map(|cell| cell.trim().to_owned());
    let mut table = String::new();
    for rig in rigs::RIGS {
        let name = Some(format!("`{}`", rig.name));
        let new = rows.iter().map(String::as_str).find(|row| name_of(row) == name);
        if let Some(row) = new.or_else(|| old.lines().find(|row| name_of(row) == name)) {
            table.push_str(row);
            table.push('\n');
        }
    }
    Ok(format!("{before}{BEGIN}\n\n{HEAD}{table}\n{END}{after}"))
}

/// Writes these rows into docs/proof.md.
pub fn write(rows: &[String]) -> Result<(), Trouble> {
    let place = place();
    let text = std::fs::read_to_string(&place)?;
    Ok(std::fs::write(&place, with_rows(&text, rows)?)?)
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_thousands() {
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn a_row_takes_the_place_of_the_older_one_of_its_rig() {
        let Some(rig) = rigs::RIGS.first() else { return };
        let row = |many: u32| format!("| G | `{}` | {many} cuts | 0 | 1 | 1 | 1 | x |", rig.name);
        let empty = format!("before\n{BEGIN}\n{END}\nafter\n");
        let first = with_rows(&empty, &[row(1)]).unwrap();
        let second = with_rows(&first, &[row(2)]).unwrap();
        assert!(second.contains(&row(2)) && !second.contains(&row(1)), "{second}");
        assert!(second.starts_with("before\n") && second.ends_with("after\n"));
        assert_eq!(with_rows(&second, &[]).unwrap(), second, "nothing new changes nothing");
    }
}
