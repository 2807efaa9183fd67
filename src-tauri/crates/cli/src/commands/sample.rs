//! `silt sample`.

use crate::host::Host;
use crate::out::Stop;

pub async fn open(host: &Host) -> Result<(), Stop> {
    let opened = host.app.sample_open(()).await?;
    if host.out.json {
        return host.out.value(&opened);
    }
    host.out.line(&opened.project.path)?;
    host.out.line(&opened.conversation_id.to_string())
}
