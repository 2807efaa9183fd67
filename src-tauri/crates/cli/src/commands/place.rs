//! `silt checkpoint place`.

use std::sync::Arc;

use siltstone_app::Sink;
use siltstone_contract::{CheckpointPlace, MoveCheckpoints, MoveEvent, ProjectRef, TakeFolder};
use siltstone_engine::checkpoint::Kept;

use super::checkpoint::project;
use crate::args::Home;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, to: Option<Home>, take: Option<String>) -> Result<(), Stop> {
    let project_id = project(host).await?;
    let here = host.app.checkpoint_place(ProjectRef { id: project_id }).await?;
    if let Some(name) = take {
        return taken(host, TakeFolder { project_id, name }).await;
    }
    let to = match to {
        Some(Home::Here) => Kept::Here,
        Some(Home::Project) => Kept::Project,
        None => here.kept,
    };
    if to == here.kept {
        return said(host, &here);
    }
    let out = host.out.clone();
    let steps: Sink<MoveEvent> =
        Arc::new(move |event| out.note(&format!("{} / {}", event.done, event.total)));
    let moved = host.app.checkpoint_place_move(MoveCheckpoints { project_id, to }, steps).await?;
    said(host, &moved)
}

async fn taken(host: &Host, request: TakeFolder) -> Result<(), Stop> {
    let taken = host.app.checkpoint_place_take(request).await?;
    if host.out.json {
        return host.out.value(&taken);
    }
    let lang = host.out.lang;
    taken.taken.iter().try_for_each(|id| host.out.line(&id.to_string()))?;
    if taken.left_out > 0 {
        let said = ("{} damaged or newer, left out", "망가졌거나 더 새로운 {}개는 뺐습니다");
        host.out.line(&lang.count(said.0, said.1, taken.left_out))?;
    }
    if taken.sealed {
        let said = "a part is sealed with a key that is not here";
        host.out.line(lang.pick(said, "일부는 여기에 없는 열쇠로 봉인되어 있습니다"))?;
    }
    Ok(())
}

fn said(host: &Host, place: &CheckpointPlace) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(place);
    }
    let lang = host.out.lang;
    match &place.path {
        None => host.out.line(lang.pick("on this computer", "이 컴퓨터"))?,
        Some(path) => host.out.line(path)?,
    }
    lost(host, place)?;
    place.found.iter().filter(|folder| !folder.taken).try_for_each(|folder| {
        let said = lang.pick("of another computer", "다른 컴퓨터의 것");
        host.out.line(&format!("{said}: {}  {} B", folder.name, folder.bytes))
    })
}

/// What is not there any more of checkpoints in the project's folder.
pub(super) fn lost(host: &Host, place: &CheckpointPlace) -> Result<(), Stop> {
    let lang = host.out.lang;
    if place.gone {
        let said = "this folder, or a part of it, is not there any more";
        host.out.line(lang.pick(said, "이 폴더나 그 일부가 이제 없습니다"))?;
    }
    if place.lost > 0 {
        let said = ("{} checkpoints lost what they held", "체크포인트 {}개가 담은 것을 잃었습니다");
        host.out.line(&lang.count(said.0, said.1, place.lost))?;
    }
    Ok(())
}
