//! How `silt backup salvage` says what can be read of a damaged database.

use siltstone_engine::Timestamp;
use siltstone_engine::salvage::{Salvage, SalvagePlan};

use super::{holds, line};
use crate::host::Host;
use crate::out::Stop;

/// What salvaging would bring.
pub fn plan(host: &Host, plan: &SalvagePlan) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(plan);
    }
    let lang = host.out.lang;
    host.out.line(lang.pick("of the damaged database alone:", "손상된 데이터베이스만으로:"))?;
    tell(host, &plan.alone)?;
    if let (Some(backup), Some(with)) = (&plan.backup, &plan.with_backup) {
        host.out.line(lang.pick("the newest backup:", "가장 최근 백업:"))?;
        host.out.line(&format!("  {}", line(host, backup, Timestamp::now())))?;
        host.out.line(lang.pick("with what it has beside:", "이 백업에 더 있는 것까지:"))?;
        tell(host, with)?;
    }
    host.out.note(lang.pick(
        "Nothing was changed. --yes does it, --with BACKUP adds what a backup has beside, and `silt backup restore` goes \
         back to a backup instead.",
        "아무것도 바꾸지 않았습니다. --yes를 주면 복구하고, --with 백업을 주면 백업에 더 있는 것을 더합니다. 백업으로 \
         되돌리려면 `silt backup restore`를 쓰세요.",
    ));
    Ok(())
}

/// What salvaging brought.
pub fn done(host: &Host, salvage: &Salvage) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(salvage);
    }
    tell(host, salvage)?;
    let lang = host.out.lang;
    for table in &salvage.tables {
        let rows = lang.count("{} row(s)", "행 {}개", table.read);
        let added = lang.count("{} added", "더함 {}", table.added);
        let aside = lang.count("{} set aside", "따로 둠 {}", table.aside);
        host.out.line(&format!("  {}: {rows}, {added}, {aside}", table.name))?;
    }
    if let Some(kept) = &salvage.kept {
        host.out.note(&lang.count(
            "Salvaged. The damaged database and what could not be placed are kept in {}.",
            "복구했습니다. 손상된 데이터베이스와 넣지 못한 것은 {}에 보관했습니다.",
            kept,
        ));
    }
    Ok(())
}

fn tell(host: &Host, salvage: &Salvage) -> Result<(), Stop> {
    let lang = host.out.lang;
    let unreadable = lang.count(
        "{} page(s) unreadable",
        "읽을 수 없는 페이지 {}개",
        format!("{}/{}", salvage.unreadable_pages, salvage.pages),
    );
    let aside = lang.count("{} row(s) set aside", "따로 둔 행 {}개", salvage.aside);
    host.out.line(&format!("  {}; {unreadable}; {aside}", holds(lang, salvage.holds)))?;
    for touched in &salvage.touched {
        let lost = lang.count("{} message(s) lost", "메시지 {}개를 잃음", touched.lost);
        host.out.line(&format!("  {}  {lost}", touched.title))?;
    }
    let more = salvage.touched_count as usize - salvage.touched.len();
    if more > 0 {
        host.out.line(&lang.count("  and {} more", "  그 밖에 {}개", more))?;
    }
    Ok(())
}
